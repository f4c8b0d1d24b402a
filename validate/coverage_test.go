package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/workload"
)

func TestCoveredTellsWhichBudgetsSelectWhat(t *testing.T) {
	objects := decodeBundle(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: web}, spec: {replicas: 3, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app}]}}}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {namespace: shop, name: cart}, spec: {replicas: 2, template: {metadata: {labels: {app: cart}}, spec: {containers: [{name: app}]}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: single}, spec: {replicas: 1, template: {metadata: {labels: {app: single}}, spec: {containers: [{name: app}]}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {namespace: shop, name: grows}, spec: {template: {metadata: {labels: {app: grows}}, spec: {containers: [{name: app}]}}}}
---
{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {namespace: shop, name: grows}, spec: {minReplicas: 4, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: grows}}}
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {namespace: shop, name: agent}, spec: {template: {metadata: {labels: {app: agent}}, spec: {containers: [{name: app}]}}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: shop, name: web}, spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: shop, name: zoned}, spec: {maxUnavailable: 1, selector: {matchLabels: {app: grows, topology.kubernetes.io/zone: a}}}}`)
	name := func(kind, name string) workload.Ref {
		return workload.Ref{APIVersion: "apps/v1", Kind: kind, Namespace: "shop", Name: name}
	}
	want := []Coverage{
		{Object: name("Deployment", "grows"), Pods: 4, Covered: true}, // what only a cluster can tell
		{Object: name("Deployment", "web"), Pods: 3, Covered: true, Budgets: []string{"web"}},
		{Object: name("StatefulSet", "cart"), Pods: 2},
	}
	if diff := cmp.Diff(want, Covered(objects)); diff != "" {
		t.Error(diff)
	}
}
