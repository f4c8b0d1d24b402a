// Package helm installs, upgrades, rolls back and removes the chart on a real control
// plane, with Helm 4 and Helm 3.
package helm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

const (
	namespace = "probity-system"
	// previous is the chart as it was before, packed. Its program is gone.
	previous = "testdata/probity-0.0.1.tgz"
)

// fixture is a control plane, and Helm. The space is where requests are made.
type fixture struct {
	*suite.Space
	local   *install.Local
	program *suite.Helm
	chart   string
}

func TestTheChartsLife(t *testing.T) {
	f := newFixture(t)
	for _, version := range []string{"4", "3"} {
		t.Run("Helm "+version, func(t *testing.T) {
			inner := *f
			inner.Space = f.In(t)
			inner.life(version)
		})
	}
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	local, err := install.StartEmpty(t.Context(), 2, os.Stderr)
	check(t, err)
	t.Cleanup(func() { check(t, local.Stop()) })
	program, err := suite.BuildHelm(t.Context(), local)
	check(t, err)
	shop := suite.Named(t, local.ControlPlane, "shop", "probity.dev/mode=enforce")
	return &fixture{shop, local, program, filepath.Join(local.Repository, "manifests", "chart")}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// life is that of one installation.
func (f *fixture) life(version string) {
	before := f.inCluster()
	release := suite.Release{Version: version, Kubeconfig: f.Administrator, Namespace: namespace}
	helm := func(values any, command ...string) error {
		return f.program.Run(f.T.Context(), release, values, command...)
	}
	probity, err := f.local.Install(f.T.Context(), install.Options{
		Args: []string{"--shutdown-delay=0s"},
		Apply: func(_ context.Context, url string) error {
			release.URL = url
			return errors.Join(helm(nil, "install", previous), helm(nil, "upgrade", f.chart)) // revisions 1 and 2
		},
	})
	check(f.T, err)
	defer func() { check(f.T, probity.Stop()) }()
	f.refuses()
	second, bundle := f.inCluster(), f.bundle()

	f.UnderLoad("an upgrade that changes the values", func() {
		values := json.RawMessage(`{"scope": "cluster-wide", "config": {"defaults": {"mode": "warn"}}, "replicas": 3}`)
		check(f.T, helm(values, "upgrade", f.chart))
	})
	if f.optIn() {
		f.T.Error("after the upgrade the webhook still asks for the label")
	}
	f.UnderLoad("a rollback", func() { check(f.T, helm(nil, "rollback", "2")) })
	if !f.optIn() {
		f.T.Error("after the rollback the webhook does not ask for the label")
	}
	if diff := cmp.Diff(second, f.inCluster()); diff != "" {
		f.T.Errorf("the rollback made other objects than revision 2 had:\n%s", diff)
	}
	if !bytes.Equal(bundle, f.bundle()) {
		f.T.Error("the caBundle is another one after upgrade and rollback")
	}
	f.refuses()

	check(f.T, helm(nil, "uninstall"))
	f.Await("all is gone", func(context.Context) error {
		if diff := cmp.Diff(before, f.inCluster()); diff != "" {
			return fmt.Errorf("something stays behind, or is missing:\n%s", diff)
		}
		return nil
	})
	check(f.T, f.create(suite.AsksDatabase)) // Nobody refuses it any more.
}

// optIn says whether the webhook for workloads asks for the label.
func (f *fixture) optIn() bool {
	f.T.Helper()
	for _, r := range f.validating().Webhooks[0].NamespaceSelector.MatchExpressions {
		if r.Key == "probity.dev/mode" && r.Operator == "Exists" {
			return true
		}
	}
	return false
}

func (f *fixture) validating() *admissionregistrationv1.ValidatingWebhookConfiguration {
	f.T.Helper()
	c, err := f.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Get(f.T.Context(), "probity", metav1.GetOptions{})
	check(f.T, err)
	return c
}

func (f *fixture) bundle() []byte { return f.validating().Webhooks[0].ClientConfig.CABundle }

// kinds of what the chart installs, and of what Probity makes by itself.
const kinds = "validatingwebhookconfigurations,mutatingwebhookconfigurations,clusterroles,clusterrolebindings,roles,rolebindings," +
	"deployments,services,configmaps,secrets,serviceaccounts,poddisruptionbudgets,resourcequotas,networkpolicies,leases,jobs"

// inCluster lists the objects of these kinds, but for those of the control plane and
// the records of Helm.
func (f *fixture) inCluster() []string {
	f.T.Helper()
	out, _ := f.Admin("", "get", kinds, "-A", "-o",
		`go-template={{range .items}}{{.kind}} {{with .metadata.namespace}}{{.}}{{end}}/{{.metadata.name}}{{"\n"}}{{end}}`)
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

// create makes a Deployment with a probe, as a dry run.
func (f *fixture) create(probe string) error {
	_, stderr, err := f.Kubectl(suite.Deployment("orders", 2, probe), "create", "--dry-run=server", "-f", "-")
	if err != nil {
		return fmt.Errorf("%w: %s", err, stderr)
	}
	return nil
}

// refuses waits until a probe of the database is refused, and one of itself is not.
func (f *fixture) refuses() {
	f.T.Helper()
	f.Await("probes are judged", func(context.Context) error {
		err := f.create(suite.AsksDatabase)
		if err == nil || !strings.Contains(err.Error(), "[liveness-dependency-path]") {
			return fmt.Errorf("the answer is %v", err) //nolint:errorlint // it may be nil
		}
		return f.create(suite.AsksItself)
	})
}
