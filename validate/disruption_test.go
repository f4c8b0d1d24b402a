package validate

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/probity-dev/probity/workload"
)

func TestEvictableFollowsTheController(t *testing.T) {
	number := func(n int32) *workload.IntOrPercent { return &workload.IntOrPercent{Value: n} }
	share := func(n int32) *workload.IntOrPercent { return &workload.IntOrPercent{Value: n, Percent: true} }
	counted := func(n int32) floor { return floor{expected: n, pods: n} }
	tests := []struct {
		name   string
		budget workload.Budget
		floor  floor
		want   int32
	}{
		{"one of one must stay", workload.Budget{MinAvailable: number(1)}, counted(1), 0},
		{"one of two must stay", workload.Budget{MinAvailable: number(1)}, counted(2), 1},
		{"more must stay than there are", workload.Budget{MinAvailable: number(5)}, counted(3), 0},
		{"none must stay", workload.Budget{MinAvailable: number(0)}, counted(1), 1},
		{"half of one rounds up", workload.Budget{MinAvailable: share(50)}, counted(1), 0},
		{"half of three rounds up", workload.Budget{MinAvailable: share(50)}, counted(3), 1},
		{"67% of three is more than two", workload.Budget{MinAvailable: share(67)}, counted(3), 0},
		{"66% of three is two", workload.Budget{MinAvailable: share(66)}, counted(3), 1},
		{"all must stay", workload.Budget{MinAvailable: share(100)}, counted(400), 0},
		{"0% may stay", workload.Budget{MinAvailable: share(0)}, counted(3), 3},
		{"one may go", workload.Budget{MaxUnavailable: number(1)}, counted(1), 1},
		{"none may go", workload.Budget{MaxUnavailable: number(0)}, counted(9), 0},
		{"more may go than there are", workload.Budget{MaxUnavailable: number(7)}, counted(3), 3},
		{"a tenth of three rounds up", workload.Budget{MaxUnavailable: share(10)}, counted(3), 1},
		{"a tenth of eleven rounds up", workload.Budget{MaxUnavailable: share(10)}, counted(11), 2},
		{"0% may go", workload.Budget{MaxUnavailable: share(0)}, counted(9), 0},
		{"neither field", workload.Budget{}, counted(3), 0},
		{"no pods", workload.Budget{MinAvailable: number(0)}, counted(0), 0},
		{"pods of no controller and maxUnavailable", workload.Budget{MaxUnavailable: number(1)}, floor{pods: 3}, 0},
		{"pods of no controller and a number", workload.Budget{MinAvailable: number(1)}, floor{pods: 3}, 2},
		{"pods of no controller beside others are spare", workload.Budget{MaxUnavailable: number(0)}, floor{expected: 2, pods: 3}, 1},
		{"unhealthy pods are another matter", workload.Budget{MinAvailable: number(1), UnhealthyPodEvictionPolicy: "AlwaysAllow"}, counted(1), 0},
		{"many pods do not overflow", workload.Budget{MinAvailable: share(99)}, counted(2_000_000_000), 20_000_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := evictable(&tt.budget, tt.floor); got != tt.want {
				t.Errorf("%d pods may go, want %d", got, tt.want)
			}
		})
	}
}

func TestWhatIsOnlyLikelyCanBeOff(t *testing.T) {
	operated := decodeBundle(t, `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: db, ownerReferences: [{apiVersion: db.example/v1, kind: Database, name: db, controller: true}]}, spec: {maxUnavailable: 0, selector: {matchLabels: {app: db}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: db}, spec: {replicas: 3, template: {metadata: {labels: {app: db}}, spec: {containers: [{name: app}]}}}}`)
	off := Off
	for name, tt := range map[string]struct {
		override Override
		want     []string
	}{
		"as it is": {Override{Rule: "budget-blocks-drain"}, []string{"warn budget-blocks-drain"}},
		"off":      {Override{Rule: "budget-blocks-drain", Likely: &off}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			policy, err := NewPolicy(Strict, tt.override)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range EvaluateBundle(operated, policy) {
				got = append(got, f.Action.String()+" "+f.Rule)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestBundlesAreCountedAsTheControllerCounts compares with pods written out one by
// one, the API's own selectors and its own rounding.
func TestBundlesAreCountedAsTheControllerCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	policy := MustPolicy(Strict)
	met := map[string]int{}
	for range 5_000 {
		objects := randomBundle(random)
		got := map[string][]string{}
		for _, f := range EvaluateBundle(objects, policy) {
			about := f.Rule
			if strings.Contains(f.Message, "pod with two budgets") {
				about = "two-budgets"
			}
			got[f.Object.String()] = append(got[f.Object.String()], about)
		}
		for _, o := range objects {
			if o.Budget == nil {
				continue
			}
			met["budgets"]++
			want := expectedOf(t, o.Budget, objects)
			for _, about := range []string{"budget-blocks-drain", "two-budgets", "budget-no-match"} {
				if slices.Contains(want, about) {
					met[about]++
				}
				if slices.Contains(got[o.Ref.String()], about) != slices.Contains(want, about) {
					t.Fatalf("%s %s: got %v, want %v\n%s", o.Ref, (&budget{Budget: o.Budget}).asked(), got[o.Ref.String()], want, describe(objects))
				}
			}
		}
	}
	for about, n := range met {
		if n < 500 {
			t.Errorf("%s was met %d times; the bundles should meet it more often", about, n)
		}
	}
}

func describe(objects []*workload.Object) string {
	var b strings.Builder
	for _, o := range objects {
		switch {
		case o.Workload != nil:
			fmt.Fprintln(&b, o.Ref, *o.Workload.Replicas, o.Workload.Pod.Labels)
		case o.Budget != nil:
			fmt.Fprintf(&b, "%s %+v\n", o.Ref, o.Budget.Selector)
		}
	}
	return b.String()
}

func randomBundle(random *rand.Rand) []*workload.Object {
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	value := func() *workload.IntOrPercent {
		if random.IntN(2) == 0 {
			return &workload.IntOrPercent{Value: int32(random.IntN(5))}
		}
		return &workload.IntOrPercent{Value: int32(random.IntN(11) * 10), Percent: true}
	}
	var objects []*workload.Object
	for i := range 1 + random.IntN(4) {
		replicas := int32(random.IntN(5))
		w := &workload.Workload{
			Ref:      workload.Ref{APIVersion: "apps/v1", Kind: pick("Deployment", "StatefulSet"), Namespace: pick("a", "b"), Name: "w" + strconv.Itoa(i)},
			Replicas: &replicas, Pod: workload.Pod{Labels: map[string]string{"app": pick("x", "y")}},
		}
		if random.IntN(2) == 0 {
			w.Pod.Labels["tier"] = pick("web", "db")
		}
		objects = append(objects, &workload.Object{Ref: w.Ref, Workload: w})
	}
	for i := range 1 + random.IntN(3) {
		b := &workload.Budget{Ref: workload.Ref{APIVersion: "policy/v1", Kind: "PodDisruptionBudget", Namespace: pick("a", "b"), Name: "b" + strconv.Itoa(i)}}
		if random.IntN(2) == 0 {
			b.MinAvailable = value()
		} else {
			b.MaxUnavailable = value()
		}
		b.Selector = &workload.Selector{}
		if random.IntN(3) > 0 {
			b.Selector.MatchLabels = map[string]string{"app": pick("x", "y", "z")}
		}
		if random.IntN(3) == 0 {
			r := workload.Requirement{Key: pick("tier", "app"), Operator: pick("In", "NotIn", "Exists", "DoesNotExist")}
			if strings.HasSuffix(r.Operator, "In") {
				r.Values = []string{pick("web", "x"), pick("db", "y")}
			}
			b.Selector.MatchExpressions = append(b.Selector.MatchExpressions, r)
		}
		objects = append(objects, &workload.Object{Ref: b.Ref, Budget: b})
	}
	return objects
}

// expectedOf says what is wrong with a budget over Deployments and StatefulSets.
func expectedOf(t *testing.T, b *workload.Budget, objects []*workload.Object) (want []string) {
	t.Helper()
	pods, scale, selected, shared := 0, 0, 0, false
	for _, o := range objects {
		if o.Workload == nil || !apiSelects(t, b, o.Workload) {
			continue
		}
		selected++
		scale += int(*o.Workload.Replicas)
		for range *o.Workload.Replicas {
			pods++
		}
		for _, other := range objects {
			shared = shared || other.Budget != nil && other.Budget != b && apiSelects(t, other.Budget, o.Workload)
		}
	}
	if shared {
		want = append(want, "two-budgets")
	}
	if selected == 0 && (len(b.Selector.MatchLabels) > 0 || len(b.Selector.MatchExpressions) > 0) {
		want = append(want, "budget-no-match")
	}
	healthy := 0
	if b.MaxUnavailable != nil {
		healthy = max(0, scale-apiScaled(t, b.MaxUnavailable, scale))
	} else {
		healthy = apiScaled(t, b.MinAvailable, scale)
	}
	if pods > 0 && pods-healthy <= 0 {
		want = append(want, "budget-blocks-drain")
	}
	return want
}

func apiSelects(t *testing.T, b *workload.Budget, w *workload.Workload) bool {
	t.Helper()
	if b.Ref.Namespace != w.Ref.Namespace {
		return false
	}
	in := &metav1.LabelSelector{MatchLabels: b.Selector.MatchLabels}
	for _, r := range b.Selector.MatchExpressions {
		in.MatchExpressions = append(in.MatchExpressions, metav1.LabelSelectorRequirement{Key: r.Key, Operator: metav1.LabelSelectorOperator(r.Operator), Values: r.Values})
	}
	selector, err := metav1.LabelSelectorAsSelector(in)
	if err != nil {
		t.Fatal(err)
	}
	return selector.Matches(labels.Set(w.Pod.Labels))
}

func apiScaled(t *testing.T, v *workload.IntOrPercent, total int) int {
	t.Helper()
	value := intstr.FromInt32(v.Value)
	if v.Percent {
		value = intstr.FromString(strconv.Itoa(int(v.Value)) + "%")
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(&value, total, true)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

var budgetValue = regexp.MustCompile(`(minAvailable|maxUnavailable) (\d+)(%?)`)

// TestDrainFixesLetAPodGo does what the messages say, each way of it, and judges
// again.
func TestDrainFixesLetAPodGo(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	policy := MustPolicy(Strict)
	tried := 0
	for range 5_000 {
		objects := randomBundle(random)
		for _, f := range EvaluateBundle(objects, policy) {
			if f.Rule != "budget-blocks-drain" {
				continue
			}
			for _, m := range budgetValue.FindAllStringSubmatch(f.Fix, -1) {
				tried++
				n, _ := strconv.Atoi(m[2])
				value := &workload.IntOrPercent{Value: int32(n), Percent: m[3] != ""}
				fixed := *objects[f.Index].Budget
				fixed.MinAvailable, fixed.MaxUnavailable = value, nil
				if m[1] == "maxUnavailable" {
					fixed.MinAvailable, fixed.MaxUnavailable = nil, value
				}
				changed := slices.Clone(objects)
				changed[f.Index] = &workload.Object{Ref: fixed.Ref, Budget: &fixed}
				for _, left := range EvaluateBundle(changed, policy) {
					if left.Index == f.Index && left.Rule == f.Rule {
						t.Fatalf("%s\nleaves, after %q:\n%s", f.String(), m[0], left.String())
					}
				}
			}
		}
	}
	if tried < 1_000 {
		t.Errorf("%d fixes were tried; the bundles should need more", tried)
	}
}

func TestAtAdmissionLeavesOutWhatMayYetCome(t *testing.T) {
	policy := MustPolicy(Strict)
	admission := policy.AtAdmission()
	for _, r := range Rules() {
		want := policy.ActionOf(r.ID)
		if r.AnyOrder {
			want = Off
		}
		if got := admission.ActionOf(r.ID); got != want {
			t.Errorf("%s: is %s at admission, want %s", r.ID, got, want)
		}
	}
	objects := decodeBundle(t, `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: lost}, spec: {maxUnavailable: 1, selector: {matchLabels: {app: lost}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: bare}, spec: {replicas: 2, template: {metadata: {labels: {app: bare}}, spec: {containers: [{name: app}]}}}}`)
	if got := rulesOf(EvaluateBundle(objects, admission)); len(got) > 0 {
		t.Errorf("admission finds %v", got)
	}
	want := []string{"Deployment bare: budget-missing", "PodDisruptionBudget lost: budget-no-match"}
	if diff := cmp.Diff(want, rulesOf(EvaluateBundle(objects, policy))); diff != "" {
		t.Error(diff)
	}
}

func rulesOf(found []BundleFinding) []string {
	var names []string
	for _, f := range found {
		names = append(names, f.Object.String()+": "+f.Rule)
	}
	return names
}

// budgeted are n Deployments, each with a budget of its own behind it.
func budgeted(n int, replicas int32) []*workload.Object {
	var objects []*workload.Object
	for i := range n {
		name := "app-" + strconv.Itoa(i)
		own := map[string]string{"app": name, "managed-by": "helm"}
		w := &workload.Workload{Ref: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: name}, Replicas: &replicas, Pod: workload.Pod{Labels: own}}
		pdb := &workload.Budget{
			Ref:          workload.Ref{APIVersion: "policy/v1", Kind: "PodDisruptionBudget", Name: name},
			MinAvailable: &workload.IntOrPercent{Value: 1}, Selector: &workload.Selector{MatchLabels: own},
		}
		objects = append(objects, &workload.Object{Ref: w.Ref, Workload: w}, &workload.Object{Ref: pdb.Ref, Budget: pdb})
	}
	return objects
}

// BenchmarkEvaluateBundle shows what one object more costs: the time an object
// stays the same from size to size.
func BenchmarkEvaluateBundle(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			objects := budgeted(n, 1)
			policy := MustPolicy(Strict)
			for b.Loop() {
				if found := EvaluateBundle(objects, policy); len(found) != n {
					b.Fatalf("%d findings, want %d", len(found), n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*n), "ns/object")
		})
	}
}
