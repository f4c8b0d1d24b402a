package workload

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBudgetProblemsAreWhatTheAPIServerRefuses(t *testing.T) {
	tests := []struct {
		name, spec string
		want       []string
	}{
		{"a legal budget", "maxUnavailable: 10%, selector: {matchExpressions: [{key: a, operator: In, values: [b]}]}, unhealthyPodEvictionPolicy: AlwaysAllow", nil},
		{"neither field is legal", "selector: {}", nil},
		{"both fields", "maxUnavailable: 1, minAvailable: 1", []string{"spec has both minAvailable and maxUnavailable; it must have only one of them"}},
		{"negative", "minAvailable: -1", []string{"spec.minAvailable is -1; it must not be negative"}},
		{"a negative share", "maxUnavailable: -5%", []string{"spec.maxUnavailable is -5%; it must not be negative"}},
		{"more than all", "minAvailable: 101%", []string{"spec.minAvailable is 101%; it must be at most 100%"}},
		{"In without values", "selector: {matchExpressions: [{key: a, operator: In}]}", []string{"spec.selector.matchExpressions[0].values is empty; operator In must have at least one value"}},
		{"Exists with values", "selector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}", []string{"spec.selector.matchExpressions[0].values is set; operator Exists must not have values"}},
		{"an unknown operator", "selector: {matchExpressions: [{key: a, operator: Gt, values: ['1']}]}", []string{`spec.selector.matchExpressions[0].operator is "Gt"; it must be In, NotIn, Exists or DoesNotExist`}},
		{"no key", "selector: {matchExpressions: [{operator: Exists}]}", []string{"spec.selector.matchExpressions[0].key is empty; it must be the name of a label"}},
		{"an unknown policy", "unhealthyPodEvictionPolicy: Never", []string{`spec.unhealthyPodEvictionPolicy is "Never"; it must be IfHealthyBudget or AlwaysAllow`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := fmt.Sprintf("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {%s}}", tt.spec)
			var got []string
			for d := range DefaultKinds().Documents("b.yaml", []byte(text)) {
				for _, e := range d.Errors {
					got = append(got, e.Message)
				}
			}
			for i := range tt.want {
				tt.want[i] = "PodDisruptionBudget b: " + tt.want[i]
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestABudgetThatCannotBeReadSaysSo(t *testing.T) {
	const text = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {unhealthyPodEvictionPolicy: [x]}}"
	for d := range DefaultKinds().Documents("b.yaml", []byte(text)) {
		if len(d.Errors) != 1 || d.Object == nil || d.Object.Budget == nil {
			t.Errorf("wants the budget and one error, got %v and %v", d.Object, d.Errors)
		}
	}
}
