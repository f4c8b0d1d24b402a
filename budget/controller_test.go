package budget

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
	"github.com/probity-dev/probity/workload"
)

const hpa = `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web, namespace: shop}, spec: {minReplicas: %d, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}}`

func TestABudgetComesAndGoesWithItsReason(t *testing.T) {
	const made, withdrawn = "apply shop/probity-deployment-web force=false", "delete shop/probity-deployment-web"
	web := func(replicas int) string { return deployment("web", "app: web", replicas) }
	plain := strings.Replace(web(3), ", probity.dev/inject: all", "", 1)
	annotated := func(value string) string {
		return strings.Replace(web(3), "probity.dev/inject: all", "probity.dev/inject: "+value, 1)
	}
	tests := []struct {
		name string
		// without is a change that takes the reason for the budget away, and again
		// one that brings it back.
		without, again func(c *cluster)
		standing       Standing
	}{
		{"scaled to one", func(c *cluster) { c.put(web(1)) }, func(c *cluster) { c.put(web(3)) }, Single},
		{"scaled to zero", func(c *cluster) { c.put(web(0)) }, func(c *cluster) { c.put(web(3)) }, Single},
		{"an autoscaler may go down to one", func(c *cluster) { c.put(fmt.Sprintf(hpa, 1)) }, func(c *cluster) { c.put(fmt.Sprintf(hpa, 2)) }, Single},
		{"and goes again", func(c *cluster) { c.put(fmt.Sprintf(hpa, 1)) }, func(c *cluster) { c.remove("HorizontalPodAutoscaler", "web") }, Single},
		{"a user's budget", func(c *cluster) { c.put(pdb("mine", "app: web")) }, func(c *cluster) { c.remove(budgetKind, "mine") }, Covered},
		{
			"a budget over the whole namespace", func(c *cluster) {
				c.put(strings.Replace(pdb("mine", "app: web"), "{matchLabels: {app: web}}", "{}", 1))
			},
			func(c *cluster) { c.remove(budgetKind, "mine") }, Covered,
		},
		{"a user's budget selects other pods from now on", func(c *cluster) { c.put(pdb("mine", "app: web")) }, func(c *cluster) { c.put(pdb("mine", "app: other")) }, Covered},
		{"another workload with the same pods", func(c *cluster) { c.put(deployment("twin", "app: web, track: canary", 1)) }, func(c *cluster) { c.remove("Deployment", "twin") }, Shared},
		{
			"the namespace goes to audit", func(c *cluster) { c.put(plain); c.settings = validate.Settings{Mode: validate.ModeAudit} },
			func(c *cluster) { c.put(web(3)) }, Missing,
		},
		{"the namespace is off", func(c *cluster) { c.settings.Mode = validate.ModeOff }, func(c *cluster) { c.settings.Mode = validate.ModeEnforce }, Ignored},
		{"the namespace is exempt", func(c *cluster) { c.exempt(&validate.Exemptions{Namespaces: []validate.Glob{"sh*"}}) }, func(c *cluster) { c.exempt(nil) }, Ignored},
		{"its runtime class is exempt", func(c *cluster) {
			c.put(strings.Replace(web(3), "spec: {containers", "spec: {runtimeClassName: vm, containers", 1))
			c.exempt(&validate.Exemptions{RuntimeClasses: []validate.Glob{"vm"}})
		}, func(c *cluster) { c.exempt(nil) }, Ignored},
		{"the workload declines", func(c *cluster) { c.put(annotated("startup")) }, func(c *cluster) { c.put(annotated("budget")) }, Missing},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newCluster(t)
			c.put(web(3))
			c.expect("at first", made)
			tt.without(c)
			c.expect("without the reason", withdrawn)
			if got := c.standing("web"); got != tt.standing {
				t.Errorf("standing %q, want %q", got, tt.standing)
			}
			tt.again(c)
			c.expect("with the reason again", made)
			c.expect("in the end")
		})
	}
}

func TestNoBudgetIsMade(t *testing.T) {
	web := deployment("web", "app: web", 3)
	tests := []struct {
		name     string
		objects  []string
		settings validate.Settings
		standing Standing
	}{
		{"in audit", []string{strings.Replace(web, ", probity.dev/inject: all", "", 1)}, validate.Settings{Mode: validate.ModeAudit}, Missing},
		{"where a label is not legal", []string{web}, validate.Settings{Mode: validate.ModeWarn, Problem: "label probity.dev/mode: no"}, Unclear},
		{"where an annotation is not legal", []string{strings.Replace(web, "inject: all", "inject: some", 1)}, enforced, Unclear},
		{"for pods of which a budget selects some", []string{strings.Replace(web, "kind: Deployment", "kind: StatefulSet", 1), pdb("first", "app: web, apps.kubernetes.io/pod-index: '0'")}, enforced, Partly},
		{"under a name that is taken", []string{web, pdb("probity-deployment-web", "app: other")}, enforced, Taken},
		{"on the way out", []string{strings.Replace(web, "namespace: shop", "namespace: shop, deletionTimestamp: '2027-01-01T00:00:00Z'", 1)}, enforced, Ignored},
		{"in an excluded namespace", []string{strings.ReplaceAll(web, "namespace: shop", "namespace: kube-system")}, enforced, Ignored},
		{"without a selector", []string{strings.Replace(web, "selector: {matchLabels: {app: web}}, ", "", 1)}, enforced, Uncounted},
		{"where its controller has one", []string{rollout, strings.Replace(web, "namespace: shop", "namespace: shop, ownerReferences: [{apiVersion: argoproj.io/v1alpha1, kind: Rollout, name: web, controller: true}]", 1)}, enforced, Ignored},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newCluster(t)
			c.settings = tt.settings
			for _, o := range tt.objects {
				c.put(o)
			}
			for _, w := range c.settle() {
				if !strings.Contains(w, "rollout") {
					t.Errorf("wrote %s", w)
				}
			}
			for id, s := range c.statuses() {
				if id.Kind != "Rollout" && s.standing != tt.standing || tt.standing == Ignored && id.Kind != "Rollout" {
					t.Errorf("standing %q, want %q", s.standing, tt.standing)
				}
			}
		})
	}
}

var enforced = validate.Settings{Mode: validate.ModeEnforce, Injection: validate.Injection{Budget: true}}

func TestAUsersBudgetOverSomeOtherPodsLeavesOursAlone(t *testing.T) {
	c := newCluster(t)
	c.put(deployment("web", "app: web", 3))
	c.settle()
	c.put(pdb("canaries", "app: web, track: canary"))
	c.expect("a label that the template lacks")
	c.put(pdb("one-pod", "app: web, pod-template-hash: abc"))
	c.expect("a label that a controller makes up")
	want := map[validate.Identity]said{{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}: {
		standing: Made,
		detail:   "PodDisruptionBudget one-pod selects some of its pods too, which can now not be evicted. Let one budget select all of them",
	}}
	if diff := cmp.Diff(want, c.statuses(), cmp.AllowUnexported(said{})); diff != "" {
		t.Error(diff)
	}
}

func TestNothingIsDecidedBeforeTheStateIsWhole(t *testing.T) {
	c := newCluster(t)
	c.state.watches.whole = false
	c.put(deployment("web", "app: web", 3))
	web := validate.Identity{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	result, err := c.controller.Reconcile(t.Context(), web)
	if diff := cmp.Diff(reconcile.Result{}, result); diff != "" || err != nil {
		t.Errorf("error %v, result %s", err, diff)
	}
	c.expect("before")
	c.state.watches.whole = true
	c.expect("then", "apply shop/probity-deployment-web force=false")
}

func TestABudgetLooksAsConfigured(t *testing.T) {
	c := newCluster(t)
	r := recordOf(t, deployment("web", "app: web", 3))
	got, err := manifestOf(r.object.Workload, "uid-web", config.Default().Budget).json()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"probity-deployment-web","namespace":"shop",` +
		`"labels":{"app.kubernetes.io/managed-by":"probity"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"uid-web","controller":true,"blockOwnerDeletion":false}]},` +
		`"spec":{"maxUnavailable":"10%","unhealthyPodEvictionPolicy":"AlwaysAllow","selector":{"matchLabels":{"app":"web"}}}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	c.put(deployment("web", "app: web", 3))
	c.settle()
	c.controller.Use(Rules{Budget: config.Budget{MaxUnavailable: workload.IntOrPercent{Text: "1", Value: 1}, UnhealthyPodEvictionPolicy: "IfHealthyBudget"}})
	c.expect("another configuration", "apply shop/probity-deployment-web force=true")
	c.expect("once")
}

func TestAnOrphanIsTakenAway(t *testing.T) {
	c := newCluster(t)
	c.put(changed(ourSpec, ourLabel, ""))
	c.expect("its workload is gone for ever", "delete shop/probity-deployment-web")

	// The collector takes the owner away while the workload is on its way out.
	leaving := strings.Replace(deployment("web", "app: web", 3), "namespace: shop", "namespace: shop, deletionTimestamp: '2027-01-01T00:00:00Z'", 1)
	c.put(changed(ourSpec, ourLabel, ""))
	c.put(leaving)
	c.expect("its workload is still there")
	c.remove("Deployment", "web")
	c.written = nil
	web := validate.Identity{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	if _, err := c.controller.Reconcile(t.Context(), web); err != nil || len(c.written) != 1 {
		t.Errorf("wrote %v, error %v", c.written, err)
	}

	c.put(changed(ourSpec, ourLabel, ""))
	c.put(deployment("web", "app: web", 3))
	id := budgetIdentity("shop", "probity-deployment-web")
	c.written = nil
	if _, err := c.controller.Reconcile(t.Context(), id); err != nil || len(c.written) > 0 {
		t.Errorf("wrote %v, error %v", c.written, err)
	}
	c.expect("its workload has come back", "apply shop/probity-deployment-web force=true")
}

func TestABudgetOfAKindThatIsNoLongerConfiguredIsTakenAway(t *testing.T) {
	c := newCluster(t)
	c.put(strings.NewReplacer("probity-deployment-web", "probity-app.example.com-web", "apps/v1, kind: Deployment", "example.com/v1, kind: App").Replace(changed(ourSpec, ourLabel, ourOwner)))
	c.expect("the kind is unknown", "delete shop/probity-app.example.com-web")
	c.put(changed(ourSpec, ourLabel, ourOwner))
	c.expect("the garbage collector has it")
}

func TestACopyOfOursIsTheUsers(t *testing.T) {
	c := newCluster(t)
	c.put(deployment("web", "app: web", 3))
	c.settle()
	c.put(strings.Replace(changed(ourSpec, ourLabel, ourOwner), "name: probity-deployment-web", "name: copy", 1))
	c.expect("two budgets", "delete shop/probity-deployment-web")
}

func TestWhatTheAPIServerRefusesIsTold(t *testing.T) {
	c := newCluster(t)
	c.put(deployment("web", "app: web", 3))
	id := validate.Identity{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
	resource := schema.GroupResource{Group: "policy", Resource: "poddisruptionbudgets"}
	for range 2 {
		c.fail = apierrors.NewForbidden(resource, "probity-deployment-web", fmt.Errorf("exceeded quota: few"))
		if _, err := c.controller.Reconcile(t.Context(), id); err == nil {
			t.Fatal("no error, so it would not be tried again")
		}
	}
	if got := c.standing("web"); got != Refused {
		t.Errorf("standing %q", got)
	}
	c.fail = apierrors.NewConflict(resource, "probity-deployment-web", fmt.Errorf("conflict"))
	if _, err := c.controller.Reconcile(t.Context(), id); err == nil {
		t.Fatal("no error")
	}
	if got := c.standing("web"); got != Taken {
		t.Errorf("standing %q", got)
	}
	c.expect("later", "apply shop/probity-deployment-web force=false")
	want := []string{
		`Deployment shop/web Warning BudgetNotMade: No PodDisruptionBudget is made: poddisruptionbudgets.policy "probity-deployment-web" is forbidden: exceeded quota: few`,
		`Deployment shop/web Warning BudgetNotMade: No PodDisruptionBudget is made: another object has the name probity-deployment-web`,
		`Deployment shop/web Normal BudgetMade: Made PodDisruptionBudget probity-deployment-web with maxUnavailable 10%`,
	}
	if diff := cmp.Diff(want, c.events); diff != "" {
		t.Error(diff)
	}
	if got := testutil.ToFloat64(c.controller.o.Metrics.failed.WithLabelValues(operationMake)); got != 3 {
		t.Errorf("%v failures counted", got)
	}
}

func TestBothOfTwoWorkloadsAreTold(t *testing.T) {
	c := newCluster(t)
	c.put(deployment("a", "app: web", 3))
	c.put(deployment("b", "app: web, track: canary", 3))
	c.expect("two with the same pods")
	c.settle()
	want := map[string]bool{
		"Deployment shop/a Warning BudgetNotMade: No PodDisruptionBudget is made: it shares pods with Deployment b, as a selector of one fits the pods of the other. Give each labels of its own": true,
		"Deployment shop/b Warning BudgetNotMade: No PodDisruptionBudget is made: it shares pods with Deployment a, as a selector of one fits the pods of the other. Give each labels of its own": true,
	}
	got := map[string]bool{}
	for _, e := range c.events {
		got[e] = true
	}
	if diff := cmp.Diff(want, got); diff != "" || len(c.events) != 2 {
		t.Errorf("%d events, %s", len(c.events), diff)
	}
}

func TestMetricsCountWorkloadsByStanding(t *testing.T) {
	c := newCluster(t)
	c.put(deployment("web", "app: web", 3))
	c.put(deployment("one", "app: one", 1))
	c.settle()
	c.put(pdb("mine", "app: web"))
	c.settle()
	const want = `
# HELP probity_budget_made_total PodDisruptionBudgets that were made.
# TYPE probity_budget_made_total counter
probity_budget_made_total 1
`
	if err := testutil.GatherAndCompare(c.registry, strings.NewReader(want), "probity_budget_made_total"); err != nil {
		t.Error(err)
	}
	for standing, n := range map[Standing]float64{Made: 0, Covered: 1, Single: 1, Missing: 0} {
		if got := testutil.ToFloat64(c.controller.o.Metrics.workloads.WithLabelValues(string(standing))); got != n {
			t.Errorf("%v workloads are %s, want %v", got, standing, n)
		}
	}
	if got := testutil.ToFloat64(c.controller.o.Metrics.withdrawn.WithLabelValues(string(Covered))); got != 1 {
		t.Errorf("%v withdrawn", got)
	}
}

func TestNamesAreOfOneWorkload(t *testing.T) {
	long := strings.Repeat("a", 250)
	seen := map[string]workload.Ref{}
	for _, r := range []workload.Ref{
		{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"},
		{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "web"},
		{APIVersion: "a.example/v1", Kind: "Rollout", Name: "web"},
		{APIVersion: "b.example/v1", Kind: "Rollout", Name: "web"},
		{APIVersion: "apps/v1", Kind: "Deployment", Name: long},
		{APIVersion: "apps/v1", Kind: "Deployment", Name: long + "b"},
		{APIVersion: "apps/v1", Kind: "StatefulSet", Name: long},
	} {
		name := Name(r)
		if other, ok := seen[name]; ok || len(name) > 253 {
			t.Errorf("%s has the name %s (%d bytes), as %s", r, name, len(name), other)
		}
		seen[name] = r
	}
}

func TestASurveyDecidesAsTheControllerDoes(t *testing.T) {
	var objects []*workload.Object
	for _, text := range []string{
		deployment("web", "app: web", 3), deployment("one", "app: one", 1), deployment("own", "app: own", 2), pdb("own", "app: own"),
		strings.NewReplacer("kind: Deployment", "kind: ReplicaSet", "probity.dev/inject: all", "a: b").Replace(deployment("web-1", "app: web", 3)),
	} {
		o := decodeYAML(t, text)
		data, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := workload.DefaultKinds().DecodeAs(data, o["apiVersion"].(string), o["kind"].(string))
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, decoded)
	}
	got := map[string]Standing{}
	for _, s := range Survey(objects, func(string) validate.Settings { return enforced }, nil) {
		got[s.Workload.Name] = s.Standing
	}
	if diff := cmp.Diff(map[string]Standing{"web": Made, "one": Single, "own": Covered}, got); diff != "" {
		t.Error(diff)
	}
}
