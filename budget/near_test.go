package budget

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// newState returns a state that watches nothing.
func newState(t testing.TB) *State {
	t.Helper()
	s, err := NewState(StateOptions{Config: &rest.Config{Host: "http://127.0.0.1:1"}, Kinds: workload.DefaultKinds()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// randomObject is one of few of its kind, over few labels, so that many meet.
func randomObject(r *rand.Rand) string {
	label := func() string { return []string{"app: web", "app: db", "track: canary", "team: a"}[r.IntN(4)] }
	owner := func() string {
		return []string{
			"", "", ", ownerReferences: [{apiVersion: example.com/v1, kind: Shop, name: s, controller: true}]",
			", ownerReferences: [{apiVersion: argoproj.io/v1alpha1, kind: Rollout, name: n1, controller: true}]",
		}[r.IntN(4)]
	}
	name := fmt.Sprint("n", r.IntN(3))
	switch r.IntN(4) {
	case 0:
		selector := []string{"{matchLabels: {" + label() + "}}", "{matchLabels: {" + label() + ", team: a}}", "{}", "{matchExpressions: [{key: app, operator: Exists}]}"}[r.IntN(4)]
		made := []string{"", "", ", labels: {app.kubernetes.io/managed-by: probity}, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: n1, controller: true}]"}[r.IntN(3)]
		return fmt.Sprintf(`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: %s, namespace: shop%s}, spec: {minAvailable: %d, selector: %s}}`, name, made, r.IntN(3), selector)
	case 1:
		return fmt.Sprintf(`{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: %s, namespace: shop}, spec: {minReplicas: %d, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: n%d}}}`,
			name, 1+r.IntN(3), r.IntN(3))
	default:
		kind := []string{"{apiVersion: apps/v1, kind: Deployment", "{apiVersion: apps/v1, kind: StatefulSet", "{apiVersion: argoproj.io/v1alpha1, kind: Rollout"}[r.IntN(3)]
		return fmt.Sprintf(`%s, metadata: {name: %s, namespace: shop%s}, spec: {replicas: %d, template: {metadata: {labels: {%s, env: x}}, spec: {containers: [{name: app, image: app}]}}}}`,
			kind, name, owner(), r.IntN(3), label())
	}
}

// TestAChangeIsJudgedByWhatIsNearAsByAll compares with judging it by the whole namespace.
func TestAChangeIsJudgedByWhatIsNearAsByAll(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	judge := validate.Judge{Policy: validate.MustPolicy(validate.Strict)}
	found, fewer := 0, 0
	for range 2_000 {
		s := newState(t)
		for range 1 + random.IntN(8) {
			s.put(recordOf(t, randomObject(random)))
		}
		c := validate.Change{New: recordOf(t, randomObject(random)).object}
		versions := []*workload.Object{c.New}
		if old := recordOf(t, randomObject(random)).object; old.Ref.Kind == c.New.Ref.Kind && random.IntN(2) == 0 {
			old.Ref.Name = c.New.Ref.Name
			c.Old, versions = old, append(versions, old)
		}
		all, near := held(s, "shop"), s.Near("shop", versions...)
		c.Neighbours = all
		want := judge.Change(c).Findings
		c.Neighbours = near
		if diff := cmp.Diff(want, judge.Change(c).Findings); diff != "" {
			t.Fatalf("%s among %v, near %v (-all +near):\n%s", c.New.Ref, names(all), names(near), diff)
		}
		found += min(len(want), 1)
		if len(near) < len(all) {
			fewer++
		}
	}
	if found < 200 || fewer < 1_000 {
		t.Errorf("only %d changes had findings, and for %d fewer were looked at", found, fewer)
	}
}

func TestNothingIsNearToAWorkloadThatNoBudgetSelects(t *testing.T) {
	s := newState(t)
	web := deployment("web", "app: web", 3)
	for _, text := range []string{web, deployment("other", "app: other", 3), pdb("other", "app: other")} {
		s.put(recordOf(t, text))
	}
	if got := s.Near("shop", recordOf(t, web).object); got != nil {
		t.Errorf("got %v", names(got))
	}
	s.put(recordOf(t, pdb("web", "app: web")))
	if got := names(s.Near("shop", recordOf(t, web).object)); !slices.Equal(got, []string{"Deployment shop/web", "PodDisruptionBudget shop/web"}) {
		t.Errorf("got %v", got)
	}
	if got := s.Near("elsewhere", recordOf(t, web).object); got != nil {
		t.Errorf("elsewhere: %v", names(got))
	}
}

// BenchmarkNear shows what a namespace costs the review of one of its workloads, each
// of which has a budget of its user's, or of ours.
func BenchmarkNear(b *testing.B) {
	const ours = `, labels: {app.kubernetes.io/managed-by: probity}, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: %s, controller: true}]`
	for _, of := range []string{"theirs", "ours"} {
		for _, n := range []int{1, 1_000} {
			s := newState(b)
			for i := range n {
				name, owner := "app-"+strconv.Itoa(i), ""
				if of == "ours" {
					owner = fmt.Sprintf(ours, name)
				}
				s.put(recordOf(b, deployment(name, "app: "+name, 3)))
				s.put(recordOf(b, fmt.Sprintf(`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: %s, namespace: shop%s}, spec: {maxUnavailable: 1, selector: {matchLabels: {app: %s}}}}`, name, owner, name)))
			}
			reviewed := recordOf(b, deployment("app-0", "app: app-0", 3)).object
			b.Run(of+"/"+strconv.Itoa(n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					s.Near("shop", reviewed)
				}
			})
		}
	}
}
