package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/probity-dev/probity/certs"
	"github.com/probity-dev/probity/webhook"
)

// leaseName is that of the Lease that the leader holds.
const leaseName = "probity"

// serveCluster serves the webhooks of a cluster.
func (o *serveOptions) serveCluster(ctx context.Context, log logr.Logger, configuration *following) error {
	if o.namespace == "" {
		return usageError{errors.New("--namespace is required: set it, or POD_NAMESPACE from the Pod's metadata.namespace")}
	}
	config, err := restConfig(o.kubeconfig)
	if err != nil {
		return err
	}
	certificate, err := certs.New(o.certOptions())
	if err != nil {
		return err
	}
	server, clients, err := o.edge(log, certificate.TLS)
	if err != nil {
		return err
	}
	mgr, err := manager.New(config, manager.Options{
		Logger:         log,
		MapperProvider: resources,
		Cache:          cache.Options{DefaultTransform: trim},
		WebhookServer:  server,
		// The manager's own servers have no limits, see addServers.
		Metrics:                metricsserver.Options{BindAddress: nowhere},
		HealthProbeBindAddress: nowhere,
		// For what one replica does for all. Admission needs no leader.
		LeaderElection:          true,
		LeaderElectionID:        leaseName,
		LeaderElectionNamespace: o.namespace,
		// The process ends with the manager, so the next leader need not wait
		// for the lease to run out.
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return fmt.Errorf("connect to the cluster: %w", err)
	}
	if err := addClients(mgr, clients); err != nil {
		return err
	}
	if err := certificate.SetupWithManager(mgr); err != nil {
		return err
	}
	namespaces, err := webhook.NewLabelledNamespaces(ctx, mgr.GetCache(), mgr.GetAPIReader(), configuration.settings(), log.WithName("namespaces"))
	if err != nil {
		return err
	}
	configuration.tell(func() { namespaces.SetDefaults(configuration.settings()) })
	permissions, err := askPermissions(config)
	if err != nil {
		return err
	}
	look, err := preview(mgr.GetConfig(), namespaces)
	if err != nil {
		return err
	}
	observer, err := o.recordEvents(mgr, log)
	if err != nil {
		return err
	}
	h := configuration.handler(webhook.Options{
		Namespaces: namespaces, Metrics: webhook.NewMetrics(metrics.Registry), Preview: look, Observer: observer, Permissions: permissions,
	})
	// Asked for, the manager starts its server; otherwise it does not.
	mgr.GetWebhookServer().Register("/validate", h.Validate())
	mgr.GetWebhookServer().Register("/mutate", h.Mutate())
	if err := o.auditCluster(mgr, log, configuration); err != nil {
		return err
	}
	budgets, err := o.budgetCluster(mgr, log, configuration, namespaces)
	if err != nil {
		return err
	}
	if budgets != nil {
		h.Neighbours, h.Live = budgets, webhook.ClusterReader{Reader: mgr.GetAPIReader()}
	}
	configuration.start(metrics.Registry)
	if configuration.watcher != nil {
		if err := mgr.Add(configuration.watcher); err != nil {
			return fmt.Errorf("watch the configuration: %w", err)
		}
	}
	registerExpiry(certificate)

	draining, stopping := drain(ctx, log, o.shutdownDelay, server.Leave)
	if err := o.addServers(mgr, readiness{draining, namespaces, certificate, server}, log); err != nil {
		return err
	}
	log.Info("serving", "version", buildVersion().Version, "addr", o.addr, "namespace", o.namespace, "mode", configuration.settings().Mode.String())
	if err := runUntil(stopping, mgr); err != nil {
		// In the log, which the end does not wait for, and in its form.
		log.Error(err, "ended")
		return exitStatus(exitUnusable)
	}
	return nil
}

func (o *serveOptions) certOptions() certs.Options {
	if o.certDir != "" {
		return certs.Options{Dir: o.certDir}
	}
	return certs.Options{
		Secret:                  types.NamespacedName{Namespace: o.namespace, Name: o.certSecret},
		ReadOnly:                o.certReadOnly,
		Service:                 types.NamespacedName{Namespace: o.namespace, Name: o.service},
		ExtraHosts:              o.extraHosts,
		ValidatingConfiguration: o.webhookConfiguration,
		MutatingConfiguration:   o.webhookConfiguration,
	}
}

// restConfig finds the cluster as kubectl does, and the Pod's own when there is
// no kubeconfig.
func restConfig(kubeconfig string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("find the cluster: %w", err)
	}
	return config, nil
}

// drain returns a flag that is set when ctx ends, and a context that ends a delay
// later: in between, readiness has failed and requests are still answered.
func drain(ctx context.Context, log logr.Logger, delay time.Duration, leave func()) (*atomic.Bool, context.Context) {
	draining := new(atomic.Bool)
	stopping, stop := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		draining.Store(true)
		leave()
		log.Info("shutting down", "delay", delay.String())
		time.AfterFunc(delay, stop)
	})
	return draining, stopping
}

func registerExpiry(certificate *certs.Manager) {
	metrics.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "probity_certificate_expiry_timestamp_seconds",
		Help: "Unix time at which the serving certificate expires; 0 until there is one.",
	}, func() float64 {
		if end := certificate.NotAfter(); !end.IsZero() {
			return float64(end.Unix())
		}
		return 0
	}))
}
