package budget

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rounds is how often one manifest is applied.
const rounds = 10

// way is how a person or a tool applies a manifest.
type way struct {
	name string
	// apply does it; round counts from 0.
	apply func(s *space, manifest string, round int)
	// diff reports what the tool would show as different, "" for nothing; nil for
	// one that cannot tell.
	diff func(s *space, manifest string) string
}

func ways(t *testing.T) []way {
	kubectl := func(args ...string) func(*space, string, int) {
		return func(s *space, manifest string, _ int) { s.t.Helper(); s.kubectl(manifest, args...) }
	}
	create := func(then func(*space, string, int)) func(*space, string, int) {
		return func(s *space, manifest string, round int) {
			if round == 0 {
				s.kubectl(manifest, "create", "-f", "-")
				return
			}
			then(s, manifest, round)
		}
	}
	diff := func(args ...string) func(*space, string) string {
		return func(s *space, manifest string) string {
			out, stderr, err := cluster.Kubectl(s.t.Context(), adminFile, manifest, append([]string{"-n", s.name, "diff", "-f", "-"}, args...)...)
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
		{"as Flux", func(s *space, manifest string, _ int) {
			flux := []string{"apply", "--server-side", "--force-conflicts", "--field-manager=kustomize-controller", "-f", "-"}
			s.kubectl(manifest, append(flux, "--dry-run=server")...)
			s.kubectl(manifest, flux...)
		}, diff("--server-side", "--force-conflicts", "--field-manager=kustomize-controller")},
		{"Helm 3", helm(t, "3"), nil},
		{"Helm 4", helm(t, "4"), nil},
	}
}

// TestInjectionMakesNothingFlip applies one manifest for ten rounds in every way, with
// Probity and in a namespace where it is off: what moves with Probity moves without
// it, and no more. Nothing rolls out, and Probity writes its budget once.
func TestInjectionMakesNothingFlip(t *testing.T) {
	for _, w := range ways(t) {
		t.Run(w.name, func(t *testing.T) {
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
			sets, err := with.AppsV1().ReplicaSets(with.name).List(t.Context(), metav1.ListOptions{})
			if err != nil || len(sets.Items) != 1 {
				t.Errorf("%d ReplicaSets, %v", len(sets.Items), err)
			}
			if now := with.made("web"); now.UID != budget.UID || now.Generation != budget.Generation {
				t.Errorf("the budget was written again")
			}
			if diff := cmp.Diff(map[string][]string{budget.Name: {"patch (201)"}}, writes(t, with.name)); diff != "" {
				t.Errorf("Probity wrote:\n%s", diff)
			}
		})
	}
}

var webManifest = deployment("web", 3)

func roundOne(s *space, w way) *appsv1.Deployment {
	s.t.Helper()
	w.apply(s, webManifest, 0)
	s.rolledOut("web")
	return s.web()
}

func (s *space) web() *appsv1.Deployment {
	s.t.Helper()
	d, err := s.AppsV1().Deployments(s.name).Get(s.t.Context(), "web", metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// TestAChartsOwnBudgetWins upgrades a chart to one with a budget, and back.
func TestAChartsOwnBudgetWins(t *testing.T) {
	apply := helm(t, "4")
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
	s.kubectl("", "patch", "pdb", before.Name, "--type=merge", "-p", `{"spec":{"maxUnavailable":null,"minAvailable":1}}`)
	s.eventually("the edit to be put back", func(context.Context) bool {
		b, ok := s.budget("web")
		return ok && b.Generation > before.Generation+1 && cmp.Equal(b.Spec, before.Spec)
	})
	s.kubectl("", "label", "pdb", before.Name, "app.kubernetes.io/managed-by-")
	s.kubectl("", "patch", "pdb", before.Name, "--type=merge", "-p", `{"spec":{"maxUnavailable":2}}`)
	s.label("probity.dev/inject=none")
	s.apply(deployment("other", 2)) // something that Probity looks at after that
	s.label("probity.dev/inject=all")
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
	s.kubectl("", "delete", "deployment", "web", "--cascade=orphan")
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
	events, err := cluster.AuditEvents()
	if err != nil {
		t.Fatal(err)
	}
	how := map[string][]string{}
	for _, e := range events {
		r := e.ObjectRef
		if r == nil || e.ResponseStatus == nil || r.Namespace != namespace || r.Resource != "poddisruptionbudgets" ||
			!strings.HasPrefix(e.User.Username, "system:serviceaccount:probity-system:") {
			continue
		}
		how[r.Name] = append(how[r.Name], fmt.Sprintf("%s (%d)", e.Verb, e.ResponseStatus.Code))
	}
	return how
}

// helmProgram is built once: the first time it takes minutes.
var helmProgram = sync.OnceValues(func() (string, error) {
	fmt.Fprintln(os.Stderr, "Building Helm. The first time takes some minutes.")
	program := filepath.Join(buildDir, "helm")
	// A module of its own: Helm needs other versions of libraries than the control plane.
	build := exec.Command("go", "build", "-o", program, "./helm")
	build.Dir, build.Env = filepath.Join("..", "chart"), append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build Helm: %w\n%s", err, out)
	}
	return program, nil
})

// helm installs a chart with the manifest in the first round, and upgrades after.
func helm(t *testing.T, version string) func(*space, string, int) {
	return func(s *space, manifest string, round int) {
		s.t.Helper()
		program, err := helmProgram()
		if err != nil {
			s.t.Fatal(err)
		}
		chart := filepath.Join(t.TempDir(), "web")
		write := func(name, text string) {
			path := filepath.Join(chart, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				s.t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				s.t.Fatal(err)
			}
		}
		write("Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n")
		write("templates/web.yaml", manifest)
		values, err := json.Marshal(map[string]int{"round": round})
		if err != nil {
			s.t.Fatal(err)
		}
		what := "upgrade"
		if round == 0 {
			what = "install"
		}
		cmd := exec.CommandContext(s.t.Context(), program, "-version", version, "-kubeconfig", adminFile, "-namespace", s.name, "-values", string(values), what, chart)
		cmd.Env = append(os.Environ(), "HOME="+s.t.TempDir())
		if out, err := cmd.CombinedOutput(); err != nil {
			s.t.Fatalf("helm %s: %v\n%s", what, err, out)
		}
	}
}
