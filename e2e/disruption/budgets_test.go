package disruption

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

var (
	seed  = flag.Uint64("seed", 1, "of the random budgets and workloads")
	cases = flag.Int("namespaces", 3_000, "how many to make up; each has one to three budgets")
)

// TestBudgetsAreCountedAsTheDisruptionControllerCounts makes up budgets and
// workloads, has Kubernetes' own controller work out the status of each budget,
// and compares it with what Probity says of the same manifests.
func TestBudgetsAreCountedAsTheDisruptionControllerCounts(t *testing.T) {
	t.Logf("-seed=%d -namespaces=%d", *seed, *cases)
	random := rand.New(rand.NewPCG(*seed, 0))
	kinds, err := workload.NewKinds(workload.CustomKind{Group: "example.com", Kind: "Game", TemplatePath: "spec.template"})
	if err != nil {
		t.Fatal(err)
	}
	var namespaces []*namespace
	for i := range *cases {
		namespaces = append(namespaces, newNamespace(t, random, kinds, "n"+strconv.Itoa(i)))
	}
	statuses := runController(t, namespaces)
	met := map[string]int{}
	for _, n := range namespaces {
		for _, a := range validate.Allowances(n.objects) {
			status, ok := statuses[n.name+"/"+a.Budget.Name]
			if !ok {
				t.Fatalf("the controller has no budget %s", a.Budget)
			}
			if problem := n.compare(a, status, met); problem != "" {
				t.Errorf("-seed=%d, budget %s: %s\nProbity %+v\ncontroller %+v\n%s", *seed, a.Budget, problem, a, status, n)
			}
			delete(statuses, n.name+"/"+a.Budget.Name)
			if t.Failed() {
				return
			}
		}
	}
	if len(statuses) > 0 {
		t.Errorf("Probity passes over %d budgets", len(statuses))
	}
	t.Logf("compared: %v", met)
	for _, what := range []string{"numbers", "blocked", "unsupported", "not told by manifests"} {
		if met[what] < *cases/25 {
			t.Errorf("%s: met %d times; the cases should meet it more often", what, met[what])
		}
	}
}

// compare returns how they differ, "" when they do not.
func (n *namespace) compare(a validate.Allowance, status policyv1.PodDisruptionBudgetStatus, met map[string]int) string {
	condition := meta.FindStatusCondition(status.Conditions, policyv1.DisruptionAllowedCondition)
	failed := condition.Reason == policyv1.SyncFailedReason
	if failed != (len(a.Unsupported) > 0) {
		return fmt.Sprintf("the controller gives up: %t (%s); Probity says what it cannot count: %v", failed, condition.Message, a.Unsupported)
	}
	if failed {
		met["unsupported"]++
		return ""
	}
	pods, passing := int32(0), false
	for _, w := range a.Workloads {
		pods += n.pods[w.Kind+"/"+w.Name]
		passing = passing || n.passing[w.Kind+"/"+w.Name]
	}
	if status.CurrentHealthy != pods {
		return fmt.Sprintf("the controller selects %d pods, Probity those of %v, which are %d", status.CurrentHealthy, a.Workloads, pods)
	}
	if !a.Known || passing {
		met["not told by manifests"]++ // how many pods a DaemonSet or a Job has
		return ""
	}
	met["numbers"]++
	if pods > 0 && status.DisruptionsAllowed == 0 {
		met["blocked"]++
	}
	got := [...]int32{a.CurrentHealthy, a.ExpectedPods, a.DesiredHealthy, a.DisruptionsAllowed}
	want := [...]int32{status.CurrentHealthy, status.ExpectedPods, status.DesiredHealthy, status.DisruptionsAllowed}
	if got != want {
		return fmt.Sprintf("healthy, expected, desired, allowed are %v, the controller says %v", got, want)
	}
	return ""
}
