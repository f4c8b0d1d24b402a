package budget

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestABudgetIsMade(t *testing.T) {
	s := newSpace(t, enforce)
	s.apply(deployment("web", 3))
	b := s.made("web")
	d, err := s.AppsV1().Deployments(s.name).Get(t.Context(), "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	share, always, yes, no := intstr.FromString("10%"), policyv1.AlwaysAllow, true, false
	want := policyv1.PodDisruptionBudgetSpec{
		MaxUnavailable: &share, UnhealthyPodEvictionPolicy: &always, Selector: d.Spec.Selector,
	}
	if diff := cmp.Diff(want, b.Spec); diff != "" {
		t.Error(diff)
	}
	owner := []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: d.UID, Controller: &yes, BlockOwnerDeletion: &no}}
	if diff := cmp.Diff(owner, b.OwnerReferences); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"app.kubernetes.io/managed-by": "probity"}, b.Labels); diff != "" {
		t.Error(diff)
	}
	if m := b.ManagedFields[0]; m.Manager != "probity-budgets" || m.Operation != metav1.ManagedFieldsOperationApply {
		t.Errorf("fields are managed by %s, by %s", m.Manager, m.Operation)
	}
	s.eventually("an event that tells of it", func(ctx context.Context) bool {
		events, err := s.EventsV1().Events(s.name).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false
		}
		for _, e := range events.Items {
			if e.Reason == "BudgetMade" && e.Regarding.Name == "web" && e.Regarding.UID == d.UID {
				return e.Note == "Made PodDisruptionBudget probity-deployment-web with maxUnavailable 10%"
			}
		}
		return false
	})
	s.kubectl("", "delete", "deployment", "web")
	s.gone() // the garbage collector's work
}

func TestAStatefulSetHasOneToo(t *testing.T) {
	s := newSpace(t, enforce)
	s.apply(strings.NewReplacer("kind: Deployment", "kind: StatefulSet", "replicas: 3", "serviceName: db\n  replicas: 3").Replace(deployment("db", 3)))
	s.eventually("the budget", func(context.Context) bool {
		_, ok := s.named("probity-statefulset-db")
		return ok
	})
}

// lives are the changes after which a budget must be there, or not.
func lives() []struct {
	name    string
	without func(s *space)
	again   func(s *space)
} {
	scale := func(n int) func(*space) {
		return func(s *space) { s.kubectl("", "scale", "deployment", "web", fmt.Sprintf("--replicas=%d", n)) }
	}
	return []struct {
		name    string
		without func(s *space)
		again   func(s *space)
	}{
		{"scaled to one and back", scale(1), scale(3)},
		{"scaled to zero and back", scale(0), scale(3)},
		{
			"an autoscaler takes over, with a minimum of one, then two",
			func(s *space) { s.kubectl("", "autoscale", "deployment", "web", "--min=1", "--max=5", "--cpu=80%") },
			func(s *space) {
				s.kubectl("", "patch", "hpa", "web", "--type=merge", "-p", `{"spec":{"minReplicas":2}}`)
			},
		},
		{
			"a user's budget comes and goes",
			func(s *space) { s.apply(userBudget("mine", "app: web")) },
			func(s *space) { s.kubectl("", "delete", "pdb", "mine") },
		},
		{
			"the namespace opts out and in",
			func(s *space) { s.label("probity.dev/inject=startup") },
			func(s *space) { s.label("probity.dev/inject-") },
		},
		{
			"the namespace goes to warn and back",
			func(s *space) { s.label("probity.dev/mode=warn") },
			func(s *space) { s.label("probity.dev/mode=enforce") },
		},
		{
			"the namespace leaves and comes back",
			func(s *space) { s.label("probity.dev/mode-") },
			func(s *space) { s.label("probity.dev/mode=enforce") },
		},
		{
			"the workload declines, then asks",
			func(s *space) { s.kubectl("", "annotate", "deployment", "web", "probity.dev/inject=none") },
			func(s *space) {
				s.kubectl("", "annotate", "--overwrite", "deployment", "web", "probity.dev/inject=all")
			},
		},
		{
			"another workload with the same pods comes and goes",
			func(s *space) {
				s.apply(strings.NewReplacer("name: web", "name: twin", "labels: {app: web}", "labels: {app: web, track: canary}", "matchLabels: {app: web}", "matchLabels: {app: web, track: canary}").Replace(deployment("web", 1)))
			},
			func(s *space) { s.kubectl("", "delete", "deployment", "twin") },
		},
	}
}

// label changes labels of the namespace.
func (s *space) label(labels ...string) {
	s.t.Helper()
	s.kubectl("", append([]string{"label", "--overwrite", "namespace", s.name}, labels...)...)
}

func TestABudgetFollowsItsReason(t *testing.T) {
	for _, tt := range lives() {
		t.Run(tt.name, func(t *testing.T) {
			s := newSpace(t, enforce)
			s.apply(deployment("web", 3))
			s.made("web")
			tt.without(s)
			s.gone()
			tt.again(s)
			s.made("web")
		})
	}
}

// TestABudgetFollowsWhatHappenedMeanwhile has Probity killed before each change, and
// started after it.
func TestABudgetFollowsWhatHappenedMeanwhile(t *testing.T) {
	var spaces []*space
	for range lives() {
		s := newSpace(t, enforce)
		s.apply(deployment("web", 3))
		spaces = append(spaces, s)
	}
	for _, s := range spaces {
		s.made("web")
	}
	restarted(t, func() {
		for i, tt := range lives() {
			tt.without(spaces[i])
		}
	})
	for _, s := range spaces {
		s.gone()
	}
	restarted(t, func() {
		for i, tt := range lives() {
			tt.again(spaces[i])
		}
	})
	for _, s := range spaces {
		s.made("web")
	}
}

// TestABudgetFollowsWhileProbityDies has Probity killed at once after each change,
// with whatever it was about to write half done.
func TestABudgetFollowsWhileProbityDies(t *testing.T) {
	s := newSpace(t, enforce)
	s.apply(deployment("web", 3))
	s.made("web")
	for _, tt := range lives() {
		tt.without(s)
		restarted(t, func() {})
		s.gone()
		tt.again(s)
		restarted(t, func() {})
		s.made("web")
	}
}

// restarted does something while Probity is dead.
func restarted(t *testing.T, while func()) {
	t.Helper()
	if err := probity.Kill(); err != nil {
		t.Fatal(err)
	}
	while()
	if err := probity.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}
