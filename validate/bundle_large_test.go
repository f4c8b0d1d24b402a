package validate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/workload"
)

func TestOfALargeObjectOnlyTheNameIsKept(t *testing.T) {
	many := map[string]string{}
	for i := range 1_000 {
		many[fmt.Sprintf("example.com/%054d", i)] = "x"
	}
	long := strings.Repeat("x", 64<<10)
	deployment := workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web"}
	pdb := workload.Ref{APIVersion: "policy/v1", Kind: "PodDisruptionBudget", Namespace: "shop", Name: "web"}
	conditions := &workload.Selector{MatchExpressions: []workload.Requirement{{Key: "app", Operator: "In", Values: []string{long}}}}
	for name, o := range map[string]*workload.Object{
		"labels":                 {Ref: deployment, Workload: &workload.Workload{Ref: deployment, Labels: many}},
		"labels of the template": {Ref: deployment, Workload: &workload.Workload{Ref: deployment, Pod: workload.Pod{Labels: many}}},
		"an annotation":          {Ref: deployment, Workload: &workload.Workload{Ref: deployment, Annotations: workload.Annotations{"probity.dev/exempt-reason": long}}},
		"a selector":             {Ref: deployment, Workload: &workload.Workload{Ref: deployment, Selector: &workload.Selector{MatchLabels: many}}},
		"labels of a budget":     {Ref: pdb, Budget: &workload.Budget{Ref: pdb, Labels: many}},
		"a budget's selector":    {Ref: pdb, Budget: &workload.Budget{Ref: pdb, Selector: conditions}},
	} {
		t.Run(name, func(t *testing.T) {
			kept := ForBundle(o)
			if diff := cmp.Diff(&workload.Object{Ref: o.Ref}, kept); diff != "" {
				t.Errorf("(-want +got):\n%.1000s", diff)
			}
			if found := EvaluateBundle([]*workload.Object{kept}, MustPolicy(Strict)); len(found) > 0 {
				t.Errorf("found %v", found)
			}
		})
	}
	unread := &workload.Object{Ref: deployment, Workload: &workload.Workload{Ref: deployment, Annotations: workload.Annotations{"example.com/notes": long}}}
	if ForBundle(unread).Workload == nil {
		t.Error("an annotation that nobody reads counts")
	}
}
