package budget

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestABudgetOfTheSameApplyWinsQuietly applies a Deployment with its budget, in this
// order, and then one without, which Probity makes a budget for in the end.
func TestABudgetOfTheSameApplyWinsQuietly(t *testing.T) {
	for _, tt := range []struct {
		mode string
		done func(s space)
	}{
		{enforce, func(s space) { s.made("other") }},
		{"probity.dev/mode=warn", func(s space) { s.told("other", "BudgetMissing") }},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			s := newSpace(t, tt.mode)
			s.apply(deployment("web", 3) + "---\n" + userBudget("web", "app: web") + "\n---\n" + deployment("other", 3))
			tt.done(s)
			for name, how := range writes(t, s.Name) {
				if name != "probity-deployment-other" {
					t.Errorf("Probity wrote %s: %v", name, how)
				}
			}
			if diff := cmp.Diff([]string(nil), s.eventsOf("web")); diff != "" {
				t.Errorf("Probity told of it:\n%s", diff)
			}
		})
	}
}

// told waits for an event of Probity on a Deployment.
func (s space) told(workload, reason string) {
	s.T.Helper()
	s.Eventually(reason+" on "+workload, func(context.Context) bool { return slices.Contains(s.eventsOf(workload), reason) })
}

// eventsOf returns the reasons of what Probity's controller of budgets said on a Deployment.
func (s space) eventsOf(workload string) []string {
	s.T.Helper()
	list, err := s.Client.EventsV1().Events(s.Name).List(s.T.Context(), metav1.ListOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	var reasons []string
	for _, e := range list.Items {
		if e.Regarding.Kind == "Deployment" && e.Regarding.Name == workload && strings.HasPrefix(e.Reason, "Budget") {
			reasons = append(reasons, e.Reason)
		}
	}
	return reasons
}
