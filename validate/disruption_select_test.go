package validate

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/workload"
)

// TestWhatABudgetSelects has one workload of each kind, in one namespace.
func TestWhatABudgetSelects(t *testing.T) {
	const everything = "Deployment web, StatefulSet db, Job migrate, CronJob nightly, Pod shell"
	workloads := `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {metadata: {labels: {app: shop, tier: web}}, spec: {containers: [{name: app}]}}}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {template: {metadata: {labels: {app: shop, tier: db}}, spec: {containers: [{name: app}]}}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: migrate}, spec: {template: {metadata: {labels: {app: shop}}, spec: {containers: [{name: app}]}}}}
---
{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly}, spec: {jobTemplate: {spec: {template: {metadata: {labels: {app: other}}, spec: {containers: [{name: app}]}}}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: shell}, spec: {containers: [{name: app}]}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: elsewhere}, spec: {template: {metadata: {labels: {app: shop, tier: web}}, spec: {containers: [{name: app}]}}}}
---
`
	tests := []struct {
		name, apiVersion, selector, want string
	}{
		{"no selector selects nothing", "policy/v1", "null", ""},
		{"an empty one selects everything", "policy/v1", "{}", everything},
		{"so do empty parts", "policy/v1", "{matchLabels: {}, matchExpressions: []}", everything},
		{"an empty one selected nothing in v1beta1", "policy/v1beta1", "{}", ""},
		{"a label", "policy/v1", "{matchLabels: {app: shop}}", "Deployment web, StatefulSet db, Job migrate"},
		{"all labels", "policy/v1", "{matchLabels: {app: shop, tier: web}}", "Deployment web"},
		{"a label of nobody", "policy/v1", "{matchLabels: {app: shop, tier: cache}}", ""},
		{"In", "policy/v1", "{matchExpressions: [{key: tier, operator: In, values: [web, db, cache]}]}", "Deployment web, StatefulSet db"},
		{"NotIn holds without the label", "policy/v1", "{matchExpressions: [{key: tier, operator: NotIn, values: [web]}]}", "StatefulSet db, Job migrate, CronJob nightly, Pod shell"},
		{"Exists", "policy/v1", "{matchExpressions: [{key: tier, operator: Exists}]}", "Deployment web, StatefulSet db"},
		{"DoesNotExist", "policy/v1", "{matchExpressions: [{key: tier, operator: DoesNotExist}]}", "Job migrate, CronJob nightly, Pod shell"},
		{"labels and expressions together", "policy/v1", "{matchLabels: {app: shop}, matchExpressions: [{key: tier, operator: NotIn, values: [db]}]}", "Deployment web, Job migrate"},
		{"the name that a Job's controller writes", "policy/v1", "{matchLabels: {job-name: migrate}}", "Job migrate"},
		{"not a Job of that name", "policy/v1", "{matchLabels: {app: shop}, matchExpressions: [{key: job-name, operator: NotIn, values: [migrate]}]}", "Deployment web, StatefulSet db"},
		{"no pod of a Job", "policy/v1", "{matchExpressions: [{key: batch.kubernetes.io/job-name, operator: DoesNotExist}]}", "Deployment web, StatefulSet db, Pod shell"},
		{"pods of a Deployment", "policy/v1", "{matchExpressions: [{key: pod-template-hash, operator: Exists}]}", "Deployment web"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			objects := decodeBundle(t, workloads+fmt.Sprintf("{apiVersion: %s, kind: PodDisruptionBudget, metadata: {name: b}, spec: {maxUnavailable: 1, selector: %s}}", tt.apiVersion, tt.selector))
			budgets := gather(objects).budgets
			if len(budgets) != 1 {
				t.Fatalf("%d budgets are judged, want 1", len(budgets))
			}
			got := ""
			for i, s := range budgets[0].sets {
				if i > 0 {
					got += ", "
				}
				got += s.name()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestBudgetsOfWhatOnlyTheClusterKnows are judged by no rule, but may cover a
// workload.
func TestBudgetsOfWhatOnlyTheClusterKnows(t *testing.T) {
	for _, selector := range []string{
		"{matchLabels: {statefulset.kubernetes.io/pod-name: shop-0}}",
		"{matchLabels: {app: shop, pod-template-hash: 5d4f}}",
		"{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [a]}]}",
	} {
		objects := decodeBundle(t, deployment("shop", "replicas: 3,")+fmt.Sprintf("\n---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {maxUnavailable: 0, selector: %s}}", selector))
		if got := rulesOf(EvaluateBundle(objects, MustPolicy(Strict))); len(got) > 0 {
			t.Errorf("%s: finds %v", selector, got)
		}
	}
}

// TestBudgetsThatAreNotLegal are judged by no rule.
func TestBudgetsThatAreNotLegal(t *testing.T) {
	objects := decodeBundle(t, deployment("shop", "replicas: 2,")+"\n---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {minAvailable: 2, selector: {matchLabels: {app: shop}}}}")
	if got := EvaluateBundle(objects, MustPolicy(Strict)); len(got) != 1 {
		t.Fatalf("wants one finding on the legal budget, got %v", got)
	}
	objects[1].Budget.Problems = []workload.Problem{{Path: "spec", Message: "is not legal"}}
	for _, f := range EvaluateBundle(objects, MustPolicy(Strict)) {
		if f.Object.Kind == "PodDisruptionBudget" {
			t.Errorf("is judged all the same: %s", f.String())
		}
	}
}

func TestNoMatchNamesTheWorkloadThatWasMeant(t *testing.T) {
	budget := &workload.Selector{MatchLabels: map[string]string{"app": "shop", "tier": "web", "release": "a"}}
	tests := []struct {
		name   string
		labels []map[string]string
		want   string
	}{
		{"all but one label", []map[string]string{{"app": "shop", "release": "a"}}, "If Deployment w0 is meant, copy its selector: its pods have all but tier=web."},
		{"the nearest of two", []map[string]string{{"app": "shop"}, {"app": "shop", "tier": "web", "release": "b"}}, "If Deployment w1 is meant, copy its selector: its pods have all but release=a."},
		{"less than half of the labels is no hint", []map[string]string{{"release": "a"}}, "Copy the selector of the workload that is meant."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			objects := []*workload.Object{{Budget: &workload.Budget{MaxUnavailable: &workload.IntOrPercent{Value: 1}, Selector: budget}}}
			for i, labels := range tt.labels {
				ref := workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: fmt.Sprintf("w%d", i)}
				objects = append(objects, &workload.Object{Workload: &workload.Workload{Ref: ref, Pod: workload.Pod{Labels: labels}}})
			}
			found := EvaluateBundle(objects, MustPolicy(Baseline))
			if len(found) != 1 || found[0].Fix != tt.want {
				t.Errorf("finds %v, want the fix %q", found, tt.want)
			}
		})
	}
}

// TestABudgetForNamesThatAreMadeUpMayCoverAnybody: nobody is then told that a budget is
// missing.
func TestABudgetForNamesThatAreMadeUpMayCoverAnybody(t *testing.T) {
	b := gather(decodeBundle(t, `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {template: {spec: {containers: [{name: app}]}}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {maxUnavailable: 1, selector: {matchLabels: {statefulset.kubernetes.io/pod-name: db-0}}}}
`))
	if len(b.budgets) != 0 {
		t.Errorf("%d budgets are judged by what they select, which nobody knows", len(b.budgets))
	}
	for _, s := range b.index("").all {
		if !s.covered {
			t.Errorf("%s is taken for one without a budget", s.name())
		}
	}
}
