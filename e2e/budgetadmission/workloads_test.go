package budgetadmission

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestScalingDownToWhatMustStay(t *testing.T) {
	t.Parallel()
	s := newSpace(t, strict...)
	s.apply(web(2), budget("web", "minAvailable: 1"))
	want := `PodDisruptionBudget "web": ` + blocked + " [budget-blocks-drain]"
	t.Run("by apply is refused", func(t *testing.T) {
		if got := s.refused(web(1)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
	t.Run("by a service account that scales is warned about", func(*testing.T) {
		s.warned(s.Account("downscaler"), web(1), "budget-blocks-drain")
		s.apply(web(2))
	})
	t.Run("by kubectl scale is never held up", func(t *testing.T) {
		if out, stderr, err := s.Kubectl("", "scale", "deployment", "web", "--replicas=1"); err != nil || stderr != "" {
			t.Errorf("%v %s%s", err, out, stderr)
		}
	})
	t.Run("to zero is free", func(t *testing.T) {
		s.apply(web(2))
		if warnings := s.apply(web(0)); warnings != "" {
			t.Errorf("it warns: %s", warnings)
		}
	})
}

func TestAnAutoscalersNewMinimum(t *testing.T) {
	t.Parallel()
	s := newSpace(t, strict...)
	s.apply(web(3), scaler(2), budget("web", "minAvailable: 1"))
	want := `PodDisruptionBudget "web": spec.minAvailable is 1, and Deployment web runs 1 pod at the least (the minimum of HorizontalPodAutoscaler web); ` +
		`no eviction is allowed, and a drain waits forever. Set maxUnavailable 1 in place of minAvailable: one pod cannot be kept through a drain. ` +
		`To keep the service up, raise the minimum of HorizontalPodAutoscaler web to 2. [budget-blocks-drain]`
	if got := s.refused(scaler(1)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	t.Run("in an older version of the API too", func(*testing.T) {
		s.refused("apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\n" +
			"spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, minReplicas: 1, maxReplicas: 9}\n")
	})
	if warnings := s.apply(scaler(3)); warnings != "" {
		t.Errorf("it warns: %s", warnings)
	}
}

// TestOrderIsFree: what is right in the end is never refused on the way.
func TestOrderIsFree(t *testing.T) {
	t.Parallel()
	for name, manifests := range map[string][]string{
		"a budget after its workload":               {web(2), budget("web", "minAvailable: 1")},
		"a budget before its workload":              {budget("web", "minAvailable: 1"), web(2)},
		"a budget, a workload and its autoscaler":   {budget("web", "minAvailable: 1"), strings.Replace(web(1), "  replicas: 1\n", "", 1), scaler(2)},
		"an autoscaler before budget and workload":  {scaler(2), budget("web", "minAvailable: 1"), strings.Replace(web(1), "  replicas: 1\n", "", 1)},
		"more replicas, and then a budget for more": {web(1), web(3), budget("web", "minAvailable: 2")},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSpace(t, strict...)
			for _, m := range manifests {
				s.apply(m)
			}
			if warnings := s.apply(manifests[len(manifests)-2:]...); warnings != "" {
				t.Errorf("in the end it warns: %s", warnings)
			}
		})
	}
	t.Run("what is wrong in the end is refused with the second", func(t *testing.T) {
		s := newSpace(t, strict...)
		s.apply(budget("web", "minAvailable: 3"))
		if got := s.refused(web(3)); !strings.HasPrefix(got, `PodDisruptionBudget "web": spec.minAvailable is 3, and Deployment web runs 3 pods;`) {
			t.Errorf("got %s", got)
		}
	})
}

// TestTheRatchet: what was wrong before a namespace enforces holds up nothing.
func TestTheRatchet(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.apply(web(1), budget("web", "minAvailable: 1"))
	s.Label(strict...)
	newImage := strings.Replace(web(1), "app:1", "app:2", 1)
	t.Run("a rollout goes through with a warning", func(*testing.T) { s.warned(s.User, newImage, "budget-blocks-drain") })
	t.Run("the budget may ask for more", func(*testing.T) { s.warned(s.User, budget("web", "minAvailable: 2"), "budget-blocks-drain") })
	t.Run("a further fault is refused", func(t *testing.T) {
		if got := s.refused(budget("second", "maxUnavailable: 1")); !strings.Contains(got, "[budget-overlap]") {
			t.Errorf("got %s", got)
		}
	})
	t.Run("the fix is accepted without a word", func(t *testing.T) {
		if warnings := s.apply(budget("web", "maxUnavailable: 1, minAvailable: null")); warnings != "" {
			t.Errorf("it warns: %s", warnings)
		}
	})
}

// TestWithoutStateNothingIsRefused: Probity starts and may not read what it needs, so
// that it never knows what there is.
func TestWithoutStateNothingIsRefused(t *testing.T) {
	s := newSpace(t, strict...)
	s.apply(web(1))
	s.refused(budget("web", "minAvailable: 1"))
	restore := s.withoutAutoscalers()
	restart(t)
	before := unjudged(t)
	if warnings := s.apply(budget("web", "minAvailable: 1")); warnings != "" {
		t.Errorf("it warns: %s", warnings)
	}
	if now := unjudged(t); now <= before {
		t.Errorf("counted %v before and %v after", before, now)
	}
	restore()
	restart(t)
	s.refused(budget("second", "minAvailable: 1"))
}

// withoutAutoscalers takes from Probity the right to read autoscalers, and returns
// what gives it back.
func (s space) withoutAutoscalers() (restore func()) {
	s.T.Helper()
	roles := s.Client.RbacV1().ClusterRoles()
	change := func(rules func([]rbacv1.PolicyRule) []rbacv1.PolicyRule) {
		s.T.Helper()
		role, err := roles.Get(context.Background(), "probity", metav1.GetOptions{})
		if err != nil {
			s.T.Fatal(err)
		}
		role.Rules = rules(role.Rules)
		if _, err := roles.Update(context.Background(), role, metav1.UpdateOptions{}); err != nil {
			s.T.Fatal(err)
		}
	}
	var all []rbacv1.PolicyRule
	change(func(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
		all = slices.Clone(rules)
		return slices.DeleteFunc(rules, func(r rbacv1.PolicyRule) bool { return slices.Contains(r.Resources, "horizontalpodautoscalers") })
	})
	restore = func() { change(func([]rbacv1.PolicyRule) []rbacv1.PolicyRule { return all }) }
	s.T.Cleanup(restore)
	return restore
}

func restart(t *testing.T) {
	t.Helper()
	if err := local.Probity.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := local.Probity.Start(t.Context()); err != nil {
		log, _ := os.ReadFile(local.Probity.LogPath())
		t.Fatalf("%v\n%s", err, log)
	}
}

// unjudged counts the reviews that Probity could not judge for want of state.
func unjudged(t *testing.T) float64 {
	t.Helper()
	all, err := local.Probity.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n, shown := all.Sum("probity_admission_budgets_unjudged_total", map[string]string{"reason": "not_synced"})
	if !shown {
		t.Fatal("no such metric")
	}
	return n
}
