// Package helm installs, upgrades, rolls back and removes the chart on a real control
// plane, with Helm 4 and Helm 3.
package helm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/probity-dev/probity/e2e/controlplane"
	"github.com/probity-dev/probity/e2e/install"
)

// patience bounds every wait; nothing takes nearly as long.
const patience = 2 * time.Minute

const (
	namespace = "probity-system"
	// chartModule is a module of its own: Helm needs other versions of libraries
	// than the control plane.
	chartModule = "../chart"
	// previous is the chart as it was before, packed. Its program is gone.
	previous = "testdata/probity-0.0.1.tgz"
)

// fixture is a control plane, and Helm.
type fixture struct {
	t         *testing.T
	control   *controlplane.ControlPlane
	client    client.Client
	adminFile string
	helmFile  string
	chart     string
	binary    string // of Probity
}

func TestTheChartsLife(t *testing.T) {
	f := newFixture(t)
	for _, version := range []string{"4", "3"} {
		t.Run("Helm "+version, func(t *testing.T) {
			inner := *f
			inner.t = t
			inner.life(version)
		})
	}
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	ctx := t.Context()
	ctrllog.SetLogger(logr.Discard()) // of the client
	programs, err := controlplane.Build(ctx, os.Stderr)
	check(t, err)
	repository, err := install.Repository()
	check(t, err)
	f := &fixture{t: t, chart: filepath.Join(repository, "manifests", "chart"), helmFile: filepath.Join(t.TempDir(), "helm")}
	f.binary, err = install.BuildBinary(ctx, repository, t.TempDir())
	check(t, err)
	fmt.Fprintln(os.Stderr, "Building Helm. The first time takes some minutes.")
	build := exec.CommandContext(ctx, "go", "build", "-o", f.helmFile, "./helm")
	build.Dir, build.Env = chartModule, append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build Helm: %v\n%s", err, out)
	}
	f.control, err = controlplane.Start(ctx, controlplane.Options{Programs: programs, Nodes: 2})
	check(t, err)
	t.Cleanup(func() { check(t, f.control.Stop()) })
	f.adminFile, err = f.control.Kubeconfig(f.control.Admin())
	check(t, err)
	f.client, err = client.New(f.control.Admin(), client.Options{})
	check(t, err)
	shop := &corev1.Namespace{}
	shop.Name, shop.Labels = "shop", map[string]string{"probity.dev/mode": "enforce"}
	check(t, f.client.Create(ctx, shop))
	return f
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// helm returns a function that runs Helm.
func (f *fixture) helm(version, url string) func(args ...string) error {
	return func(args ...string) error {
		all := append([]string{"-version", version, "-kubeconfig", f.adminFile, "-namespace", namespace, "-url", url}, args...)
		cmd := exec.CommandContext(f.t.Context(), f.helmFile, all...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("helm %v: %w\n%s", args, err, out)
		}
		return nil
	}
}

// life is that of one installation.
func (f *fixture) life(version string) {
	before := f.inCluster()
	var helm func(args ...string) error
	probity, err := install.Install(f.t.Context(), f.control, install.Options{
		Binary: f.binary, Args: []string{"--shutdown-delay=0s"},
		Apply: func(_ context.Context, url string) error {
			helm = f.helm(version, url)
			return errors.Join(helm("install", previous), helm("upgrade", f.chart)) // revisions 1 and 2
		},
	})
	check(f.t, err)
	defer func() { check(f.t, probity.Stop()) }()
	f.refuses()
	second, bundle := f.inCluster(), f.bundle()

	f.underLoad("an upgrade that changes the values", func() {
		check(f.t, helm("-values", `{"scope": "cluster-wide", "config": {"defaults": {"mode": "warn"}}, "replicas": 3}`, "upgrade", f.chart))
	})
	if f.optIn() {
		f.t.Error("after the upgrade the webhook still asks for the label")
	}
	f.underLoad("a rollback", func() { check(f.t, helm("rollback", "2")) })
	if !f.optIn() {
		f.t.Error("after the rollback the webhook does not ask for the label")
	}
	if diff := cmp.Diff(second, f.inCluster()); diff != "" {
		f.t.Errorf("the rollback made other objects than revision 2 had:\n%s", diff)
	}
	if !bytes.Equal(bundle, f.bundle()) {
		f.t.Error("the caBundle is another one after upgrade and rollback")
	}
	f.refuses()

	check(f.t, helm("uninstall"))
	f.eventually("all is gone", func() error {
		if diff := cmp.Diff(before, f.inCluster()); diff != "" {
			return fmt.Errorf("something stays behind, or is missing:\n%s", diff)
		}
		return nil
	})
	check(f.t, f.create(asksDatabase)) // Nobody refuses it any more.
}

// optIn says whether the webhook for workloads asks for the label.
func (f *fixture) optIn() bool {
	f.t.Helper()
	for _, r := range f.validating().Webhooks[0].NamespaceSelector.MatchExpressions {
		if r.Key == "probity.dev/mode" && r.Operator == "Exists" {
			return true
		}
	}
	return false
}

func (f *fixture) validating() *admissionregistrationv1.ValidatingWebhookConfiguration {
	f.t.Helper()
	c := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	check(f.t, f.client.Get(f.t.Context(), types.NamespacedName{Name: "probity"}, c))
	return c
}

func (f *fixture) bundle() []byte { return f.validating().Webhooks[0].ClientConfig.CABundle }

// kinds of what the chart installs, and of what Probity makes by itself.
const kinds = "validatingwebhookconfigurations,mutatingwebhookconfigurations,clusterroles,clusterrolebindings,roles,rolebindings," +
	"deployments,services,configmaps,secrets,serviceaccounts,poddisruptionbudgets,resourcequotas,networkpolicies,leases,jobs"

// inCluster lists the objects of these kinds, but for those of the control plane and
// the records of Helm.
func (f *fixture) inCluster() []string {
	f.t.Helper()
	out, stderr, err := f.control.Kubectl(f.t.Context(), f.adminFile, "", "get", kinds, "-A", "-o",
		`go-template={{range .items}}{{.kind}} {{with .metadata.namespace}}{{.}}{{end}}/{{.metadata.name}}{{"\n"}}{{end}}`)
	if err != nil {
		f.t.Fatalf("kubectl get: %v: %s", err, stderr)
	}
	all := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		if strings.Contains(line, " kube-system/") || strings.Contains(line, "/system:") || strings.Contains(line, "/sh.helm.release.") ||
			// Kubernetes makes these in every namespace, this one too.
			strings.HasSuffix(line, "/default") || strings.HasSuffix(line, "/kube-root-ca.crt") {
			continue
		}
		all[line] = true
	}
	return slices.Sorted(maps.Keys(all))
}

const (
	asksDatabase = "/health/db"
	asksItself   = "/livez"
)

// create makes a Deployment whose liveness asks a path, and changes nothing.
func (f *fixture) create(path string) error {
	d := probedDeployment(path)
	return f.client.Create(f.t.Context(), d, client.DryRunAll)
}

// refuses waits until a probe of the database is refused, and one of itself is not.
func (f *fixture) refuses() {
	f.t.Helper()
	f.eventually("probes are judged", func() error {
		err := f.create(asksDatabase)
		if err == nil || !strings.Contains(err.Error(), "[liveness-dependency-path]") {
			return fmt.Errorf("the answer is %v", err) //nolint:errorlint // it may be nil
		}
		return f.create(asksItself)
	})
}

// eventually polls until the check has nothing to say.
func (f *fixture) eventually(what string, check func() error) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			f.t.Fatalf("%s: not within %s: %v", what, patience, err)
		case <-tick.C:
		}
	}
}
