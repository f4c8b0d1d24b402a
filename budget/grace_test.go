package budget

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/probity-dev/probity/validate"
)

// TestWhatIsAppliedTogetherHasTime has a Deployment that was made a moment ago. The
// cluster's clock begins at 1970.
func TestWhatIsAppliedTogetherHasTime(t *testing.T) {
	madeAt := func(after time.Duration) string {
		at := time.Unix(0, 0).Add(after).UTC().Format(time.RFC3339)
		return strings.Replace(deployment("web", "app: web", 3), "namespace: shop", fmt.Sprintf("namespace: shop, creationTimestamp: '%s'", at), 1)
	}
	const made = "apply shop/probity-deployment-web force=false"
	warn := validate.Settings{Mode: validate.ModeWarn}
	asksNothing := strings.Replace(madeAt(0), ", probity.dev/inject: all", "", 1)
	tests := []struct {
		name   string
		web    string
		holds  validate.Settings
		later  time.Duration
		with   string // comes later
		wait   time.Duration
		want   []string
		events []string
	}{
		{"just now", madeAt(0), enforced, 0, "", 5 * time.Second, nil, nil},
		{"a moment ago", madeAt(0), enforced, 2 * time.Second, "", 3 * time.Second, nil, nil},
		{
			"five seconds ago", madeAt(0), enforced, 5 * time.Second, "", 0,
			[]string{made},
			[]string{"Deployment shop/web Normal BudgetMade: Made PodDisruptionBudget probity-deployment-web with maxUnavailable 10%"},
		},
		{"a budget came with it", madeAt(0), enforced, time.Second, pdb("mine", "app: web"), 0, nil, nil},
		{"a budget came with it and it is late", madeAt(0), enforced, 9 * time.Second, pdb("mine", "app: web"), 0, nil, nil},
		{"nobody is warned yet", asksNothing, warn, time.Second, "", 4 * time.Second, nil, nil},
		{
			"but then", asksNothing, warn, 6 * time.Second, "", 0, nil,
			[]string{"Deployment shop/web Warning BudgetMissing: No PodDisruptionBudget covers the pods. Add one, or label the namespace probity.dev/inject=budget and Probity makes it"},
		},
		{"by a clock that is a little ahead", madeAt(4 * time.Second), enforced, 0, "", 9 * time.Second, nil, nil},
		{
			"by a clock that is wrong", madeAt(time.Hour), enforced, 0, "", 0,
			[]string{made},
			[]string{"Deployment shop/web Normal BudgetMade: Made PodDisruptionBudget probity-deployment-web with maxUnavailable 10%"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newCluster(t)
			c.settings = tt.holds
			c.put(tt.web)
			c.clock.Step(tt.later)
			if tt.with != "" {
				c.put(tt.with)
			}
			web := validate.Identity{Group: "apps", Kind: "Deployment", Namespace: "shop", Name: "web"}
			result, err := c.controller.Reconcile(t.Context(), web)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(reconcile.Result{RequeueAfter: tt.wait}, result); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.want, c.written); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.events, c.events); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWhatIsYoungKeepsItsBudget has one that was made anew under its name.
func TestWhatIsYoungKeepsItsBudget(t *testing.T) {
	c := newCluster(t)
	c.put(changed(ourSpec, ourLabel, strings.Replace(ourOwner, "uid-web", "uid-old", 1)))
	c.put(strings.Replace(deployment("web", "app: web", 3), "namespace: shop", "namespace: shop, creationTimestamp: '1970-01-01T00:00:00Z'", 1))
	c.expect("at once", "apply shop/probity-deployment-web force=true")
}
