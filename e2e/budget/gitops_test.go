package budget

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/probity-dev/probity/e2e/controlplane"
	"github.com/probity-dev/probity/e2e/suite"
)

// rounds is how often one manifest is applied.
const rounds = 10

// way is how a person or a tool applies a manifest.
type way struct {
	name string
	// apply does it; round counts from 0.
	apply func(s space, manifest string, round int)
	// diff reports what the tool would show as different, "" for nothing; nil for
	// one that cannot tell.
	diff func(s space, manifest string) string
}

func ways() []way {
	kubectl := func(args ...string) func(space, string, int) {
		return func(s space, manifest string, _ int) { s.T.Helper(); s.Admin(manifest, args...) }
	}
	create := func(then func(space, string, int)) func(space, string, int) {
		return func(s space, manifest string, round int) {
			if round == 0 {
				s.Admin(manifest, "create", "-f", "-")
				return
			}
			then(s, manifest, round)
		}
	}
	diff := func(args ...string) func(space, string) string {
		return func(s space, manifest string) string {
			out, stderr, err := s.KubectlAs(s.Administrator, manifest, append([]string{"diff", "-f", "-"}, args...)...)
			if err != nil && out == "" {
				return err.Error() + ": " + stderr
			}
			return out
		}
	}
	return []way{
		{"kubectl apply", kubectl("apply", "-f", "-"), diff()},
		{"kubectl apply --server-side", kubectl("apply", "--server-side", "-f", "-"), diff("--server-side")},
		{"kubectl replace", create(kubectl("replace", "-f", "-")), nil},
		// What Argo CD does with ServerSideApply=true, and its server-side diff.
		{
			"as Argo CD", kubectl("apply", "--server-side", "--force-conflicts", "--field-manager=argocd-controller", "-f", "-"),
			diff("--server-side", "--force-conflicts", "--field-manager=argocd-controller"),
		},
		// Flux's kustomize-controller compares by a dry run before it applies.
		{"as Flux", func(s space, manifest string, _ int) {
			flux := []string{"apply", "--server-side", "--force-conflicts", "--field-manager=kustomize-controller", "-f", "-"}
			s.Admin(manifest, append(flux, "--dry-run=server")...)
			s.Admin(manifest, flux...)
		}, diff("--server-side", "--force-conflicts", "--field-manager=kustomize-controller")},
		{"Helm 3", helm("3"), nil},
		{"Helm 4", helm("4"), nil},
	}
}

// TestInjectionMakesNothingFlip applies one manifest for ten rounds in every way, with
// Probity and in a namespace where it is off: what moves with Probity moves without
// it, and no more. Nothing rolls out, and Probity writes its budget once.
func TestInjectionMakesNothingFlip(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			with, without := newSpace(t, enforce), newSpace(t)
			first := roundOne(with, w)
			if first.Spec.Template.Spec.Containers[0].StartupProbe == nil {
				t.Fatal("no startup probe is injected, so that this shows nothing")
			}
			budget := with.made("web")
			plain := roundOne(without, w)
			for round := 1; round < rounds; round++ {
				w.apply(with, webManifest, round)
				w.apply(without, webManifest, round)
				now, other := with.web(), without.web()
				if diff := cmp.Diff(first.Spec, now.Spec); diff != "" {
					t.Fatalf("round %d changed the spec:\n%s", round, diff)
				}
				if moved, expected := now.Generation-first.Generation, other.Generation-plain.Generation; moved != expected {
					t.Fatalf("round %d moved the generation by %d, without Probity by %d", round, moved, expected)
				}
			}
			if w.diff != nil {
				if diff := w.diff(with, webManifest); diff != "" {
					t.Errorf("the tool shows a difference:\n%s", diff)
				}
			}
			sets, err := with.Client.AppsV1().ReplicaSets(with.Name).List(t.Context(), metav1.ListOptions{})
			if err != nil || len(sets.Items) != 1 {
				t.Errorf("%d ReplicaSets, %v", len(sets.Items), err)
			}
			if now := with.made("web"); now.UID != budget.UID || now.Generation != budget.Generation {
				t.Errorf("the budget was written again")
			}
			if diff := cmp.Diff(map[string][]string{budget.Name: {"patch (201)"}}, writes(t, with.Name)); diff != "" {
				t.Errorf("Probity wrote:\n%s", diff)
			}
		})
	}
}

var webManifest = deployment("web", 3)

func roundOne(s space, w way) *appsv1.Deployment {
	s.T.Helper()
	w.apply(s, webManifest, 0)
	s.rolledOut("web")
	return s.web()
}

func (s space) web() *appsv1.Deployment {
	s.T.Helper()
	d, err := s.Client.AppsV1().Deployments(s.Name).Get(s.T.Context(), "web", metav1.GetOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	return d
}

// TestAChartsOwnBudgetWins upgrades a chart to one with a budget, and back.
func TestAChartsOwnBudgetWins(t *testing.T) {
	apply := helm("4")
	s := newSpace(t, enforce)
	apply(s, webManifest, 0)
	s.made("web")
	apply(s, webManifest+"---\n"+userBudget("web", "app: web")+"\n", 1)
	s.gone()
	apply(s, webManifest, 2)
	s.made("web")
}

// TestABudgetWithoutItsLabelIsTheUsers takes a budget over, edits it, and leaves.
func TestABudgetWithoutItsLabelIsTheUsers(t *testing.T) {
	s := newSpace(t, enforce)
	s.apply(webManifest)
	before := s.made("web")
	s.Admin("", "patch", "pdb", before.Name, "--type=merge", "-p", `{"spec":{"maxUnavailable":null,"minAvailable":1}}`)
	s.Eventually("the edit to be put back", func(context.Context) bool {
		b, ok := s.budget("web")
		return ok && b.Generation > before.Generation+1 && cmp.Equal(b.Spec, before.Spec)
	})
	s.Admin("", "label", "pdb", before.Name, "app.kubernetes.io/managed-by-")
	s.Admin("", "patch", "pdb", before.Name, "--type=merge", "-p", `{"spec":{"maxUnavailable":2}}`)
	s.Label("probity.dev/inject=none")
	s.apply(deployment("other", 2)) // something that Probity looks at after that
	s.Label("probity.dev/inject=all")
	s.made("other")
	b, ok := s.budget("web")
	if !ok || b.UID != before.UID || b.Spec.MaxUnavailable.IntValue() != 2 {
		t.Errorf("the user's budget is touched: %t %v", ok, b.Spec)
	}
}

// TestAnOrphanedBudgetGoesOrComesHome deletes a Deployment in the way that leaves its
// dependents.
func TestAnOrphanedBudgetGoesOrComesHome(t *testing.T) {
	s := newSpace(t, enforce)
	s.apply(webManifest)
	s.made("web")
	s.Admin("", "delete", "deployment", "web", "--cascade=orphan")
	s.gone()
	// A selector cannot be changed: the workload is made anew under its name.
	s.apply(strings.ReplaceAll(webManifest, "app: web", "app: web2"))
	if got := s.made("web").Spec.Selector.MatchLabels; !cmp.Equal(got, map[string]string{"app": "web2"}) {
		t.Errorf("the budget selects %v", got)
	}
}

// writes returns how Probity wrote each budget of a namespace, by the audit log.
func writes(t testing.TB, namespace string) map[string][]string {
	t.Helper()
	events, err := local.AuditEvents()
	if err != nil {
		t.Fatal(err)
	}
	probity, _ := controlplane.ServiceAccount("probity-system", "probity")
	how := map[string][]string{}
	for _, e := range events {
		r := e.ObjectRef
		if r == nil || e.ResponseStatus == nil || r.Namespace != namespace || r.Resource != "poddisruptionbudgets" ||
			e.User.Username != probity {
			continue
		}
		how[r.Name] = append(how[r.Name], fmt.Sprintf("%s (%d)", e.Verb, e.ResponseStatus.Code))
	}
	return how
}

// helmProgram is built once, and goes with what the tests share.
var helmProgram = sync.OnceValues(func() (*suite.Helm, error) { return suite.BuildHelm(context.Background(), local) })

// helm installs a chart with the manifest in the first round, and upgrades after.
func helm(version string) func(space, string, int) {
	return func(s space, manifest string, round int) {
		s.T.Helper()
		program, err := helmProgram()
		if err != nil {
			s.T.Fatal(err)
		}
		chart := filepath.Join(s.T.TempDir(), "web")
		for name, text := range map[string]string{
			"Chart.yaml":         "apiVersion: v2\nname: web\nversion: 1.0.0\n",
			"templates/web.yaml": manifest,
		} {
			path := filepath.Join(chart, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				s.T.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				s.T.Fatal(err)
			}
		}
		command := "upgrade"
		if round == 0 {
			command = "install"
		}
		release := suite.Release{Version: version, Kubeconfig: s.Administrator, Namespace: s.Name}
		if err := program.Run(s.T.Context(), release, map[string]int{"round": round}, command, chart); err != nil {
			s.T.Fatal(err)
		}
	}
}
