package validate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/workload"
)

// manifest writes a workload in one line; spec and meta are further fields.
func manifest(apiVersion, kind, name, meta, spec string) string {
	return fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: %s%s}, spec: {%s template: {metadata: {labels: {app: shop}}, spec: {containers: [{name: app}]}}}}",
		apiVersion, kind, name, meta, spec)
}

func deployment(name, spec string) string { return manifest("apps/v1", "Deployment", name, "", spec) }

func barePod(name, meta string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: Pod, metadata: {name: %s, labels: {app: shop}%s}, spec: {containers: [{name: app}]}}", name, meta)
}

func owned(apiVersion, kind, name string) string {
	return fmt.Sprintf(", ownerReferences: [{apiVersion: %s, kind: %s, name: %s, controller: true}]", apiVersion, kind, name)
}

func hpa(name, target, minimum string) string {
	return fmt.Sprintf("{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: %s}, spec: {scaleTargetRef: {%s}, %s maxReplicas: 9}}", name, target, minimum)
}

func scaledObject(target, minimum string) string {
	return fmt.Sprintf("{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: a}, spec: {scaleTargetRef: {%s}, %s}}", target, minimum)
}

const (
	shopTarget = "apiVersion: apps/v1, kind: Deployment, name: shop"
	shopBudget = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: shop}, spec: {minAvailable: 1, selector: {matchLabels: {app: shop}}}}"
)

// TestFloorOfABudget reads the least number of pods from manifests.
func TestFloorOfABudget(t *testing.T) {
	one := floor{expected: 1, pods: 1, known: true, runs: true}
	three := floor{expected: 3, pods: 3, known: true, runs: true}
	tests := []struct {
		name    string
		objects []string
		want    floor
	}{
		{"spec.replicas", []string{deployment("shop", "replicas: 3,")}, three},
		{"no spec.replicas is one", []string{deployment("shop", "")}, one},
		{"a StatefulSet too", []string{manifest("apps/v1", "StatefulSet", "shop", "", "")}, one},
		{"a Rollout too", []string{manifest("argoproj.io/v1alpha1", "Rollout", "shop", "", "")}, one},
		{"a ReplicationController too", []string{manifest("v1", "ReplicationController", "shop", "", "")}, one},
		{"scaled to zero", []string{deployment("shop", "replicas: 0,")}, floor{known: true}},
		{"an HPA's minimum goes before spec.replicas", []string{hpa("a", shopTarget, "minReplicas: 3,"), deployment("shop", "replicas: 1,")}, three},
		{"an HPA without minimum has one", []string{deployment("shop", "replicas: 3,"), hpa("a", shopTarget, "")}, one},
		{"another version of the target is the same", []string{hpa("a", "apiVersion: apps/v1beta1, kind: Deployment, name: shop", "minReplicas: 3,"), deployment("shop", "")}, three},
		{"a target of the old group is the same", []string{hpa("a", "apiVersion: extensions/v1beta1, kind: Deployment, name: shop", "minReplicas: 3,"), deployment("shop", "")}, three},
		{"a target of another kind is another", []string{hpa("a", "apiVersion: apps/v1, kind: StatefulSet, name: shop", "minReplicas: 3,"), deployment("shop", "")}, one},
		{"a target of another name is another", []string{hpa("a", "apiVersion: apps/v1, kind: Deployment, name: api", "minReplicas: 3,"), deployment("shop", "")}, one},
		{"an HPA leaves alone what is scaled to zero", []string{hpa("a", shopTarget, "minReplicas: 3,"), deployment("shop", "replicas: 0,")}, floor{known: true}},
		{"a ScaledObject's minimum", []string{scaledObject("name: shop", "minReplicaCount: 3"), deployment("shop", "")}, three},
		{"a ScaledObject's target without apiVersion", []string{scaledObject("kind: Deployment, name: shop", "minReplicaCount: 3"), deployment("shop", "")}, three},
		{"a ScaledObject scales up from zero", []string{scaledObject("name: shop", "minReplicaCount: 3"), deployment("shop", "replicas: 0,")}, three},
		{"a ScaledObject without minimum has none at times", []string{scaledObject("name: shop", ""), deployment("shop", "replicas: 2,")}, floor{known: true, runs: true}},
		{"a ScaledObject's own HPA does not raise it", []string{hpa("keda-hpa-a", shopTarget, "minReplicas: 1,"), scaledObject("name: shop", "minReplicaCount: 0"), deployment("shop", "")}, floor{known: true, runs: true}},
		{"of two autoscalers with one name the higher counts", []string{hpa("a", shopTarget, "minReplicas: 3,"), hpa("a", shopTarget, "minReplicas: 1,"), deployment("shop", "")}, three},
		{"of two workloads with one name the higher counts", []string{deployment("shop", "replicas: 1,"), deployment("shop", "replicas: 3,"), deployment("shop", "")}, three},
		{"workloads add up", []string{deployment("a", "replicas: 2,"), deployment("b", "")}, three},
		{"a DaemonSet has as many as there are nodes", []string{manifest("apps/v1", "DaemonSet", "shop", "", "")}, floor{runs: true}},
		{"a Job has none at times", []string{manifest("batch/v1", "Job", "shop", "", "")}, floor{known: true, runs: true}},
		{"a bare pod is expected by nobody", []string{barePod("shop", "")}, floor{pods: 1, known: true, runs: true}},
		{"pods of a custom resource are counted", []string{barePod("a", owned("db.example/v1", "Database", "db")), barePod("b", owned("db.example/v1", "Database", "db"))}, floor{expected: 2, pods: 2, known: true, runs: true}},
		{"a pod of Helm's test comes and goes", []string{barePod("test", `, annotations: {helm.sh/hook: test}`), deployment("shop", "replicas: 3,")}, three},
		{
			"a Deployment stands for what it made",
			[]string{deployment("shop", "replicas: 3,"), manifest("apps/v1", "ReplicaSet", "shop-1", owned("apps/v1", "Deployment", "shop"), "replicas: 3,"), barePod("shop-1-a", owned("apps/v1", "ReplicaSet", "shop-1"))},
			three,
		},
		{"a Rollout stands for its ReplicaSets", []string{manifest("argoproj.io/v1alpha1", "Rollout", "shop", "", "replicas: 3,"), manifest("apps/v1", "ReplicaSet", "shop-1", owned("argoproj.io/v1alpha1", "Rollout", "shop"), "replicas: 3,")}, three},
		{"a mirror pod cannot be evicted", []string{barePod("shop-node", owned("v1", "Node", "node"))}, floor{known: true}},
		{"what is being deleted does not count", []string{deployment("shop", ""), manifest("apps/v1", "Deployment", "old", ", deletionTimestamp: 2026-01-01T00:00:00Z", "replicas: 3,")}, one},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			objects := decodeBundle(t, strings.Join(append(tt.objects, shopBudget), "\n---\n"))
			budgets := gather(objects).budgets
			if len(budgets) != 1 {
				t.Fatalf("%d budgets, want 1", len(budgets))
			}
			if got := budgets[0].floor(); got != tt.want {
				t.Errorf("is %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestWhoIsJudged is about which objects a finding is laid on, and with what
// action, in the strict profile.
func TestWhoIsJudged(t *testing.T) {
	const blocked = "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: %s%s}, spec: {maxUnavailable: 0, selector: {matchLabels: {app: shop}}}}"
	patch := "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: shop, namespace: prod}, spec: {minAvailable: 2}}"
	tests := []struct {
		name    string
		objects []string
		want    []string
	}{
		{
			"findings come by namespace and name, wherever the objects stand",
			[]string{fmt.Sprintf(blocked, "hold", ", namespace: b"), manifest("apps/v1", "Deployment", "shop", ", namespace: a", ""), fmt.Sprintf(blocked, "stay", ", namespace: a"), manifest("apps/v1", "Deployment", "shop", ", namespace: b", "")},
			[]string{"deny PodDisruptionBudget a/stay: budget-blocks-drain", "deny PodDisruptionBudget b/hold: budget-blocks-drain"},
		},
		{"without a namespace is a namespace too", []string{fmt.Sprintf(blocked, "stay", ""), deployment("shop", "")}, []string{"deny PodDisruptionBudget stay: budget-blocks-drain"}},
		{"an operator's budget warns", []string{fmt.Sprintf(blocked, "stay", owned("db.example/v1", "Database", "db")), deployment("shop", "")}, []string{"warn PodDisruptionBudget stay: budget-blocks-drain"}},
		{"a budget over an operator's workload warns", []string{fmt.Sprintf(blocked, "stay", ""), manifest("apps/v1", "StatefulSet", "db", owned("db.example/v1", "Database", "db"), "")}, []string{"warn PodDisruptionBudget stay: budget-blocks-drain"}},
		{"a budget that is being deleted is none", []string{fmt.Sprintf(blocked, "stay", ", deletionTimestamp: 2026-01-01T00:00:00Z"), deployment("shop", "")}, nil},
		{"two variants of a budget do not overlap, and each is judged", []string{fmt.Sprintf(blocked, "stay", ""), fmt.Sprintf(blocked, "stay", ""), deployment("shop", "")}, []string{"deny PodDisruptionBudget stay: budget-blocks-drain", "deny PodDisruptionBudget stay: budget-blocks-drain"}},
		{"an overlay's patch of a budget is no budget", []string{shopBudget, patch, deployment("shop", "replicas: 2,"), manifest("apps/v1", "Deployment", "shop", ", namespace: prod", "")}, nil},
		{"a Helm hook's Job is taken away in time", []string{strings.Replace(shopBudget, "minAvailable: 1", "maxUnavailable: 1", 1), deployment("shop", ""), manifest("batch/v1", "Job", "migrate", ", annotations: {helm.sh/hook: pre-upgrade}", "")}, []string{"warn PodDisruptionBudget shop: budget-unsupported"}},
		{"a custom resource without a count is not judged", []string{strings.Replace(shopBudget, "1", "9", 1), barePod("a", owned("db.example/v1", "Database", "db"))}, []string{"warn PodDisruptionBudget shop: budget-blocks-drain"}},
		{"an annotation takes a workload out of injection", []string{manifest("apps/v1", "Deployment", "shop", ", annotations: {probity.dev/inject: none}", "replicas: 2,")}, []string{"warn Deployment shop: budget-missing"}},
		{"an annotation puts a workload into injection", []string{manifest("apps/v1", "Deployment", "shop", ", annotations: {probity.dev/inject: budget}", "replicas: 2,")}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range EvaluateBundle(decodeBundle(t, strings.Join(tt.objects, "\n---\n")), MustPolicy(Strict)) {
				got = append(got, f.Action.String()+" "+f.Object.String()+": "+f.Rule)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEvaluateBundlePassesOverOtherObjects(t *testing.T) {
	objects := []*workload.Object{nil, {}, {Ref: workload.Ref{Kind: "Service"}}, {Namespace: &workload.Namespace{}}}
	if found := EvaluateBundle(objects, MustPolicy(Strict)); len(found) > 0 {
		t.Errorf("finds %v", found)
	}
}
