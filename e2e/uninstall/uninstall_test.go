// Package uninstall takes Probity out of a real control plane.
package uninstall

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/e2e/install"
)

// patience bounds every wait; nothing takes nearly as long.
const patience = 2 * time.Minute

const objects = `{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {probity.dev/mode: enforce}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: app}]}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: taken, namespace: shop}, spec: {replicas: 3, selector: {matchLabels: {app: taken}}, template: {metadata: {labels: {app: taken}}, spec: {containers: [{name: app, image: app}]}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: own, namespace: shop}, spec: {replicas: 3, selector: {matchLabels: {app: own}}, template: {metadata: {labels: {app: own}}, spec: {containers: [{name: app, image: app}]}}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: own, namespace: shop}, spec: {maxUnavailable: 1, selector: {matchLabels: {app: own}}}}
`

// fixture is a control plane with Probity, and the program.
type fixture struct {
	*testing.T
	local  *install.Local
	binary string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	local, err := install.StartLocal(t.Context(), 1, os.Stderr, "--shutdown-delay=0s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := local.Stop(); err != nil {
			t.Error(err)
		}
	})
	binary, err := install.BuildBinary(t.Context(), local.Repository, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{t, local, binary}
}

func (f *fixture) kubectl(stdin string, args ...string) string {
	f.Helper()
	out, stderr, err := f.local.Kubectl(f.Context(), f.local.Admin, stdin, args...)
	if err != nil {
		f.Fatalf("kubectl %v: %v: %s", args, err, stderr)
	}
	return out
}

// names lists objects as "namespace/name" or "name", in order.
func (f *fixture) names(args ...string) []string {
	f.Helper()
	out := f.kubectl("", append([]string{"get", "--ignore-not-found", "-o", `jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name}{"\n"}{end}`}, args...)...)
	names := strings.Fields(out)
	slices.Sort(names)
	return names
}

func (f *fixture) eventually(what string, ok func() bool) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			f.Fatalf("waited %s for %s", patience, what)
		}
	}
}

func (f *fixture) uninstall(args ...string) string {
	f.Helper()
	cmd := exec.CommandContext(f.Context(), f.binary, append([]string{"uninstall", "--kubeconfig", f.local.Admin}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.Fatalf("uninstall %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestUninstallLeavesNothingOfProbity(t *testing.T) {
	f := newFixture(t)
	f.kubectl(objects, "apply", "-f", "-")
	all := []string{"shop/own", "shop/probity-deployment-taken", "shop/probity-deployment-web"}
	f.eventually("the budgets", func() bool { return slices.Equal(f.names("pdb", "-n", "shop"), all) })
	f.kubectl("", "label", "-n", "shop", "pdb", "probity-deployment-taken", "app.kubernetes.io/managed-by-")

	const listed = `ValidatingWebhookConfiguration probity
MutatingWebhookConfiguration probity
PodDisruptionBudget shop/probity-deployment-web
`
	want := strings.ReplaceAll("would delete "+strings.TrimSuffix(listed, "\n"), "\n", "\nwould delete ") + "\n"
	if diff := cmp.Diff(want, f.uninstall("--dry-run")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(all, f.names("pdb", "-n", "shop")); diff != "" {
		t.Errorf("a dry run removes budgets:\n%s", diff)
	}

	// Here the program is no Deployment, whose end uninstall would wait for.
	if err := f.local.Probity.Stop(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(want, "would delete", "deleted"), f.uninstall()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"shop/own", "shop/probity-deployment-taken"}, f.names("pdb", "-n", "shop")); diff != "" {
		t.Error(diff)
	}
	f.kubectl("", "scale", "-n", "shop", "deployment", "web", "--replicas=4") // no webhook is in the way

	f.uninstall("--all")
	if got := f.uninstall("--all"); got != "nothing to remove\n" {
		t.Errorf("a second run says %q", got)
	}
	const kinds = "validatingwebhookconfigurations,mutatingwebhookconfigurations,clusterroles,clusterrolebindings"
	if left := f.names(kinds, "-l", "app.kubernetes.io/part-of=probity"); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	f.eventually("the end of the namespace", func() bool { return f.kubectl("", "get", "namespace", "probity-system", "--ignore-not-found") == "" })
}
