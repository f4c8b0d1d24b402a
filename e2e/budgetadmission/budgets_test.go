package budgetadmission

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestABudgetThatBlocksIsRefusedUnderEnforce(t *testing.T) {
	t.Parallel()
	s := newSpace(t, strict...)
	s.apply(web(1))
	if got, want := s.refused(budget("web", "minAvailable: 1")), blocked+" [budget-blocks-drain]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, _, err := s.Kubectl("", "get", "pdb", "web"); err == nil {
		t.Error("the budget exists")
	}
	if warnings := s.apply(budget("web", "maxUnavailable: 1")); warnings != "" {
		t.Errorf("what the message says is warned about: %s", warnings)
	}
}

func TestABudgetThatBlocksIsWarnedAboutInWarn(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "probity.dev/mode=warn", "probity.dev/profile=strict")
	s.apply(web(1))
	want := "Warning: [budget-blocks-drain] " + blocked + "\n"
	if got := s.warned(s.User, budget("web", "minAvailable: 1"), "budget-blocks-drain"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestBaselineOnlyWarns(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "probity.dev/mode=enforce", "probity.dev/inject=none")
	s.apply(web(1))
	s.warned(s.User, budget("web", "minAvailable: 100%"), "budget-blocks-drain")
}

func TestASecondBudgetIsRefused(t *testing.T) {
	t.Parallel()
	s := newSpace(t, strict...)
	s.apply(web(3), budget("first", "maxUnavailable: 1"))
	if got, want := s.refused(budget("second", "minAvailable: 1")), overlaps+" [budget-overlap]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAShareOfADaemonSetIsRefused(t *testing.T) {
	t.Parallel()
	s := newSpace(t, strict...)
	s.apply(strings.NewReplacer("kind: Deployment", "kind: DaemonSet", "  replicas: 1\n", "").Replace(web(1)))
	if got := s.refused(budget("web", "maxUnavailable: 1")); !strings.HasPrefix(got, "spec.maxUnavailable is 1, and the budget selects DaemonSet web, which has no scale subresource;") {
		t.Errorf("got %s", got)
	}
}

// TestBudgetsAreSwapped: who replaces a budget by another is not refused for the one
// that is gone, however late the watches come.
func TestBudgetsAreSwapped(t *testing.T) {
	t.Parallel()
	s := newSpace(t, strict...)
	s.apply(web(3), budget("first", "maxUnavailable: 1"))
	t.Run("a user deletes the first", func(t *testing.T) {
		s.refused(budget("second", "maxUnavailable: 1"))
		names := []string{"first", "second", "third", "fourth"}
		for i, name := range names[1:] {
			if out, stderr, err := s.Kubectl("", "delete", "pdb", names[i]); err != nil {
				t.Fatalf("%v %s%s", err, out, stderr)
			}
			if warnings := s.apply(budget(name, "maxUnavailable: 1")); warnings != "" {
				t.Errorf("%s: %s", name, warnings)
			}
		}
	})
	t.Run("a release of Helm makes the second before it deletes the first", func(*testing.T) {
		const release = "annotations: {meta.helm.sh/release-name: shop, meta.helm.sh/release-namespace: shop}"
		s.apply(budget("fourth", "maxUnavailable: 1", release))
		s.warned(s.User, budget("fifth", "maxUnavailable: 1", release), "budget-overlap")
	})
}

// TestAUsersBudgetReplacesProbitysOwn without a word.
func TestAUsersBudgetReplacesProbitysOwn(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "probity.dev/mode=enforce", "probity.dev/profile=strict", "probity.dev/inject=budget")
	s.apply(web(3))
	made := func() int {
		list, err := s.Client.PolicyV1().PodDisruptionBudgets(s.Name).List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/managed-by=probity"})
		if err != nil {
			t.Fatal(err)
		}
		return len(list.Items)
	}
	s.Eventually("Probity's budget", func(context.Context) bool { return made() == 1 })
	if warnings := s.apply(budget("own", "minAvailable: 2")); warnings != "" {
		t.Errorf("it warns: %s", warnings)
	}
	s.Eventually("Probity's budget to go", func(context.Context) bool { return made() == 0 })
}

// TestAnOperatorIsOnlyWarned about a budget of an object that it controls.
func TestAnOperatorIsOnlyWarned(t *testing.T) {
	t.Parallel()
	s := newSpace(t, strict...)
	s.apply(web(1), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\n")
	owner, err := s.Client.CoreV1().ConfigMaps(s.Name).Get(t.Context(), "shop", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	owned := "ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: shop, uid: " + string(owner.UID) + ", controller: true}]"
	s.refused(budget("web", "minAvailable: 1"))
	s.warned(s.Account("operator"), budget("web", "minAvailable: 1", owned), "budget-blocks-drain")
}

func TestAnExemptionOfTheBudgetHolds(t *testing.T) {
	t.Parallel()
	s := newSpace(t, strict...)
	s.apply(web(1))
	s.refused(budget("web", "minAvailable: 1"))
	exempt := budget("web", "minAvailable: 1", `annotations: {probity.dev/exempt: budget-blocks-drain, probity.dev/exempt-reason: "drained by hand"}`)
	if warnings := s.apply(exempt); strings.Contains(warnings, "budget-blocks-drain") {
		t.Errorf("it warns: %s", warnings)
	}
}
