// Command program is cert-manager and its cainjector, as far as Issuers that sign by
// themselves or by a CA, and webhook configurations, need them. cert-manager's own
// main packages are not part of a module that can be required.
//
// It runs until its standard input ends, so it does not outlive the test that
// started it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/cert-manager/cert-manager/pkg/controller"
	"github.com/cert-manager/cert-manager/pkg/controller/cainjector"
	"github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	crca "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	crselfsigned "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	"github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"         // registers the kind of issuer
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned" // the same
	"github.com/cert-manager/cert-manager/pkg/util"
	"github.com/cert-manager/cert-manager/pkg/util/feature"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// wanted are the controllers to run, of those that cert-manager's own program runs.
var wanted = []string{
	issuers.ControllerName,
	trigger.ControllerName, keymanager.ControllerName, requestmanager.ControllerName,
	issuing.ControllerName, readiness.ControllerName, revisionmanager.ControllerName,
	approver.ControllerName, crca.CRControllerName, crselfsigned.CRControllerName,
}

func main() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fmt.Fprintln(os.Stderr, "usage: program KUBECONFIG [FEATURE=VALUE,...]")
		os.Exit(2)
	}
	if err := feature.DefaultMutableFeatureGate.Set(strings.Join(os.Args[2:], "")); err != nil {
		fmt.Fprintln(os.Stderr, "cert-manager:", err)
		os.Exit(2)
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	if err := run(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "cert-manager:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ctrllog.SetLogger(klog.Background())
	r := &running{cancel: cancel}
	err := errors.Join(r.startControllers(ctx, kubeconfig), r.startInjector(ctx, kubeconfig))
	if err != nil {
		cancel()
	}
	r.group.Wait()
	return errors.Join(err, errors.Join(r.errs...))
}

// running are the parts; one that fails ends all.
type running struct {
	cancel context.CancelFunc
	group  sync.WaitGroup
	mu     sync.Mutex
	errs   []error
}

func (r *running) add(run func() error) {
	r.group.Go(func() {
		if err := run(); err != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.errs = append(r.errs, err)
			r.cancel()
		}
	})
}

func (r *running) startControllers(ctx context.Context, kubeconfig string) error {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig:    kubeconfig,
		IssuerOptions: controller.IssuerOptions{ClusterResourceNamespace: "cert-manager"},
		CertificateOptions: controller.CertificateOptions{
			CertificateRequestMinimumBackoffDuration: time.Second, // no test waits for an hour
			CertificateRequestMaximumBackoffDuration: time.Minute,
		},
	})
	if err != nil {
		return err
	}
	known := controller.Known()
	for _, name := range wanted {
		one, err := known[name](factory)
		if err != nil {
			return fmt.Errorf("make controller %s: %w", name, err)
		}
		r.add(func() error { return one.Run(2, ctx) })
	}
	shared, err := factory.Build("e2e")
	if err != nil {
		return err
	}
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	shared.HTTP01ResourceMetadataInformersFactory.Start(ctx.Done())
	return nil
}

func (r *running) startInjector(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config = util.RestConfigWithUserAgent(config, "cainjector") // the field manager of what it applies
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), certmanagerv1.AddToScheme(scheme)); err != nil {
		return err
	}
	mgr, err := manager.New(config, manager.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	err = cainjector.RegisterAllInjectors(ctx, mgr, cainjector.SetupOptions{
		EnableCertificatesDataSource: true,
		EnabledReconcilersFor: map[string]bool{
			cainjector.ValidatingWebhookConfigurationName: true, cainjector.MutatingWebhookConfigurationName: true,
		},
	})
	if err != nil {
		return err
	}
	r.add(func() error { return mgr.Start(ctx) })
	return nil
}
