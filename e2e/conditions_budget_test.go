package e2e

import "testing"

const (
	budget = `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: orders, namespace: shop}, spec: {minAvailable: 1, selector: {matchLabels: {app: orders}}}}`
	hpa    = `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: orders, namespace: shop}, spec: {minReplicas: 1, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: orders}}}`
	keda   = `{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: orders, namespace: shop}, spec: {minReplicaCount: 1, scaleTargetRef: {name: orders}}}`
)

func TestWhichBudgetsAndAutoscalersAreJudged(t *testing.T) {
	deleted := withMetadata("deletionTimestamp: '2026-01-01T00:00:00Z'")
	for name, test := range map[string]struct {
		review
		want string
	}{
		"a new budget":                          {review{object: budget}, "called"},
		"a new autoscaler":                      {review{object: hpa}, "called"},
		"a new ScaledObject":                    {review{object: keda}, "called"},
		"the same budget again":                 {review{object: budget, old: budget}, "changes-what-rules-read"},
		"a budget that asks for more":           {review{object: edit(budget, "minAvailable: 1", "minAvailable: 2"), old: budget}, "called"},
		"a budget that asks for a share":        {review{object: edit(budget, "minAvailable: 1", "minAvailable: 50%"), old: budget}, "called"},
		"a budget that asks otherwise":          {review{object: edit(budget, "minAvailable: 1", "maxUnavailable: 1"), old: budget}, "called"},
		"a budget for other pods":               {review{object: edit(budget, "app: orders", "app: web"), old: budget}, "called"},
		"a budget for all pods":                 {review{object: edit(budget, "{matchLabels: {app: orders}}", "{}"), old: budget}, "called"},
		"another policy for unhealthy pods":     {review{object: edit(budget, "minAvailable: 1", "minAvailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow"), old: budget}, "changes-what-rules-read"},
		"the labels of a budget":                {review{object: edit(budget, withMetadata("labels: {team: blue}")...), old: budget}, "changes-what-rules-read"},
		"an exemption of a budget":              {review{object: edit(budget, withMetadata("annotations: {probity.dev/exempt: budget-blocks-drain}")...), old: budget}, "called"},
		"a status of a budget":                  {review{object: edit(budget, "spec:", "status: {disruptionsAllowed: 1}, spec:"), old: budget}, "changes-what-rules-read"},
		"a lower minimum of an autoscaler":      {review{object: hpa, old: edit(hpa, "minReplicas: 1", "minReplicas: 2")}, "called"},
		"a minimum that is left out":            {review{object: edit(hpa, "minReplicas: 1, ", ""), old: hpa}, "called"},
		"another maximum of an autoscaler":      {review{object: edit(hpa, "maxReplicas: 9", "maxReplicas: 8"), old: hpa}, "changes-what-rules-read"},
		"another target":                        {review{object: edit(hpa, "kind: Deployment, name: orders", "kind: Deployment, name: web"), old: hpa}, "called"},
		"a lower minimum of a ScaledObject":     {review{object: keda, old: edit(keda, "minReplicaCount: 1", "minReplicaCount: 2")}, "called"},
		"a ScaledObject with other triggers":    {review{object: edit(keda, "minReplicaCount: 1", "minReplicaCount: 1, triggers: [{type: cron}]"), old: keda}, "changes-what-rules-read"},
		"a ScaledObject without spec":           {review{object: "{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, metadata: {name: orders, namespace: shop}}", old: keda}, "called"},
		"a budget on its way out":               {review{object: edit(budget, append(deleted, "minAvailable: 1", "minAvailable: 2")...), old: budget}, "not-on-its-way-out"},
		"a misspelt exemption of a budget":      {review{object: edit(budget, withMetadata("annotations: {probity.dev/exempts: a}")...), old: budget}, "called"},
		"a finalizer of a budget":               {review{object: edit(budget, withMetadata("finalizers: [example.com/keep]")...), old: budget}, "changes-what-rules-read"},
		"what a built-in controller writes":     {review{object: budget, user: account + "disruption-controller"}, "not-by-a-controller"},
		"one identity for all controllers":      {review{object: budget, user: "system:kube-controller-manager"}, "not-by-a-controller"},
		"what Probity makes":                    {review{object: budget, user: "system:serviceaccount:probity-system:probity"}, "not-by-probity"},
		"what another account makes":            {review{object: budget, user: "system:serviceaccount:shop:probity"}, "called"},
		"what an operator makes, with an owner": {review{object: budget, user: "system:serviceaccount:operators:orders"}, "called"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, minor := range []uint{34, 37} {
				if got := test.skippedBy(t, compile(t, minor).budgets); got != test.want {
					t.Errorf("Kubernetes 1.%d: %s, want %s", minor, got, test.want)
				}
			}
		})
	}
}
