package fix

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
	"github.com/probity-dev/probity/workload"
)

const replicated = `apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME, namespace: shop}
spec:
  replicas: 3
  selector:
    matchLabels: {app: NAME}
    matchExpressions: [{key: tier, operator: Exists}]
  template:
    metadata: {labels: {app: NAME, tier: web}}
    spec: {containers: [{name: app, image: x}]}
---
`

func named(name string) string { return strings.ReplaceAll(replicated, "NAME", name) }

func TestMissingBudgets(t *testing.T) {
	const budget = `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: deployment-orders
  namespace: shop
spec:
  maxUnavailable: 10%
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      app: orders
    matchExpressions:
    - key: tier
      operator: Exists
`
	const covers = "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: shop}\nspec: {maxUnavailable: 1, selector: {matchLabels: {app: orders}}}\n"
	statefulSet := strings.NewReplacer("kind: Deployment", "kind: StatefulSet", "app: orders", "app: orders-db").Replace(named("orders"))
	tests := []struct {
		name, text string
		want       []string
	}{
		{"replicas without a budget get one", named("orders"), []string{budget}},
		{"a budget of the user's own is enough", named("orders") + covers, nil},
		{"a configuration that lets none be made", named("orders"), nil},
		{
			"a configuration that lets none be made, and an annotation that asks for one",
			strings.Replace(named("orders"), "namespace: shop", "namespace: shop, annotations: {probity.dev/inject: budget}", 1),
			[]string{budget},
		},
		{"an annotation that wants none", strings.Replace(named("orders"), "namespace: shop", "namespace: shop, annotations: {probity.dev/inject: startup}", 1), nil},
		{
			"a workload that is exempted from the rule",
			strings.Replace(named("orders"), "namespace: shop", "namespace: shop, annotations: {probity.dev/exempt: budget-missing, probity.dev/exempt-reason: it may be away}", 1), nil,
		},
		{"one replica needs none", strings.Replace(named("orders"), "replicas: 3", "replicas: 1", 1), nil},
		{
			"an autoscaler's minimum counts", strings.Replace(named("orders"), "replicas: 3", "paused: false", 1) +
				"apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h, namespace: shop}\n" +
				"spec: {minReplicas: 2, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: orders}}\n",
			[]string{budget},
		},
		{
			"a selector that takes another workload's pods gets none",
			named("orders") + strings.ReplaceAll(named("carts"), "app: carts", "app: orders"), nil,
		},
		{
			"a workload whose pods another selector takes, too, gets none, and neither does the other",
			named("orders") + strings.Replace(
				strings.Replace(named("carts"), "matchLabels: {app: carts}", "matchLabels: {tier: web}", 1), "labels: {app: carts,", "labels: {", 1), nil,
		},
		{
			"two kinds of one name get budgets of two names", named("orders") + statefulSet,
			[]string{budget, strings.NewReplacer("deployment-orders", "statefulset-orders", "app: orders", "app: orders-db").Replace(budget)},
		},
		{
			"of a workload that stands there twice, and once without its selector, the whole one counts",
			named("orders") + "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: orders, namespace: shop}\nspec: {replicas: 5, template: {spec: {containers: [{name: app}]}}}\n",
			[]string{budget},
		},
		{"a ReplicaSet gets none, as Probity makes none for it", strings.Replace(named("orders"), "kind: Deployment", "kind: ReplicaSet", 1), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := Budgets{Injection: validate.Injection{Budget: !strings.HasPrefix(tt.name, "a configuration")}, Config: config.Default().Budget}
			for d := range workload.DefaultKinds().Documents("a.yaml", []byte(tt.text)) {
				b.Add(d.Object)
			}
			missing, err := b.Missing()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range missing {
				got = append(got, m.Text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
