// Package uninstall takes Probity out of a real control plane.
package uninstall

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

// local is what there is to take Probity out of.
var local *install.Local

func TestMain(m *testing.M) { suite.Main(m, &local, suite.Setup{Nodes: 1}) }

const objects = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: app}]}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: taken}, spec: {replicas: 3, selector: {matchLabels: {app: taken}}, template: {metadata: {labels: {app: taken}}, spec: {containers: [{name: app, image: app}]}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: own}, spec: {replicas: 3, selector: {matchLabels: {app: own}}, template: {metadata: {labels: {app: own}}, spec: {containers: [{name: app, image: app}]}}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: own}, spec: {maxUnavailable: 1, selector: {matchLabels: {app: own}}}}
`

// space is the namespace of the test.
type space struct{ *suite.Space }

// names lists objects as "namespace/name" or "/name", in order.
func (s space) names(args ...string) []string {
	s.T.Helper()
	out, _ := s.Admin("", append([]string{"get", "--ignore-not-found", "-o", `jsonpath={range .items[*]}{.metadata.namespace}/{.metadata.name}{"\n"}{end}`}, args...)...)
	names := strings.Fields(out)
	slices.Sort(names)
	return names
}

func (s space) uninstall(args ...string) string {
	s.T.Helper()
	cmd := exec.CommandContext(s.T.Context(), local.Binary, append([]string{"uninstall", "--kubeconfig", local.Admin}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.T.Fatalf("uninstall %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func TestUninstallLeavesNothingOfProbity(t *testing.T) {
	s := space{suite.Named(t, local.ControlPlane, "shop", "probity.dev/mode=enforce")}
	s.Admin(objects, "apply", "-f", "-")
	all := []string{"shop/own", "shop/probity-deployment-taken", "shop/probity-deployment-web"}
	s.Eventually("the budgets", func(context.Context) bool { return slices.Equal(s.names("pdb"), all) })
	s.Admin("", "label", "pdb", "probity-deployment-taken", "app.kubernetes.io/managed-by-")

	const listed = `ValidatingWebhookConfiguration probity
MutatingWebhookConfiguration probity
PodDisruptionBudget shop/probity-deployment-web
`
	// Here the program is no Deployment, whose end uninstall would wait for.
	const warned = "probity: warning: there is no Deployment of Probity in namespace probity-system; if it runs elsewhere (-n says where), it makes the budgets again\n"
	want := strings.ReplaceAll("would delete "+strings.TrimSuffix(listed, "\n"), "\n", "\nwould delete ") + "\n" + warned
	if diff := cmp.Diff(want, s.uninstall("--dry-run")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(all, s.names("pdb")); diff != "" {
		t.Errorf("a dry run removes budgets:\n%s", diff)
	}

	if err := local.Probity.Stop(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(want, "would delete", "deleted"), s.uninstall()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"shop/own", "shop/probity-deployment-taken"}, s.names("pdb")); diff != "" {
		t.Error(diff)
	}
	s.Admin("", "scale", "deployment", "web", "--replicas=4") // no webhook is in the way

	s.uninstall("--all")
	if got := s.uninstall("--all"); got != "nothing to remove\n" {
		t.Errorf("a second run says %q", got)
	}
	const kinds = "validatingwebhookconfigurations,mutatingwebhookconfigurations,clusterroles,clusterrolebindings"
	if left := s.names(kinds, "-l", "app.kubernetes.io/part-of=probity"); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	s.Eventually("the end of the namespace", func(context.Context) bool {
		out, _ := s.Admin("", "get", "namespace", "probity-system", "--ignore-not-found")
		return out == ""
	})
}
