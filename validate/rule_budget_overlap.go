package validate

import (
	"fmt"
	"slices"
	"strings"
)

func init() {
	register(Rule{
		ID:       "budget-overlap",
		Title:    "A pod has one budget, and a budget the pods of one workload",
		Category: Disruption,
		Why: `The eviction API does not support a pod that two budgets select. It answers each eviction with an error (status 500, "This pod has
more than one PodDisruptionBudget, which the eviction subresource does not support"), whatever the budgets say. ` + "`kubectl drain`" + ` ends with that error at
once, where a budget with no room would have it wait and try again. The cluster autoscaler cannot remove the node.

A budget over several workloads counts their pods together. With ` + "`minAvailable: 1`" + ` over a frontend and a backend the frontend's pods are
the one that is available, and all pods of the backend may go at once. With ` + "`maxUnavailable: 1`" + ` an unready pod of the one holds up the
drain of the other. A budget with an empty selector does the same with all pods of the namespace, those of workloads to come too.`,
		Fix:   "Give each workload one budget, whose selector is the workload's own.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/#arbitrary-controllers-and-selectors",
			"https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-budgets",
			"https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/registry/core/pod/storage/eviction.go",
		},
		Action:      ByProfile{Warn, Deny},
		Likely:      ByProfile{Warn, Warn},
		CheckBundle: checkBudgetOverlap,
	})
}

func checkBudgetOverlap(p *BundlePass) {
	for _, b := range p.bundle.budgets {
		reportShared(p, b)
		reportBroad(p, b)
	}
}

// reportShared reports pods that another budget selects too.
func reportShared(p *BundlePass, b *budget) {
	var shared []*podSet
	var others []*budget
	seen := map[string]bool{b.Ref.Name: true}
	likely := b.operated()
	for _, s := range b.sets {
		if len(s.budgets) < 2 {
			continue
		}
		shared = append(shared, s)
		for _, other := range s.budgets {
			if !seen[other.Ref.Name] {
				seen[other.Ref.Name] = true
				others = append(others, other)
				likely = likely || other.operated()
			}
		}
	}
	if len(shared) == 0 {
		return
	}
	slices.SortFunc(others, func(a, b *budget) int { return strings.Compare(a.Ref.Name, b.Ref.Name) })
	list := listed(others, func(b *budget) string { return quote(b.Ref.Name) })
	names := "budget " + list + " does"
	if len(others) > 1 {
		names = "budgets " + list + " do"
	}
	p.reportShared(b, shared, others, Report{
		Field:    "spec.selector",
		Text:     fmt.Sprintf("selects the pods of %s, as %s; the eviction of a pod with two budgets fails with an error, and kubectl drain with it", podSetNames(shared), names),
		Fix:      "Keep one budget for them.",
		Evidence: podSetNames(shared) + ": also " + list,
		Likely:   likely,
	})
}

// reportBroad reports a budget that mixes the pods of workloads.
func reportBroad(p *BundlePass, b *budget) {
	sets := slices.DeleteFunc(slices.Clone(b.sets), func(s *podSet) bool { return s.passing() })
	text, evidence := "", "selects "+podSetNames(sets)
	switch {
	case b.whole() && len(sets) < 2:
		text, evidence = "is empty and selects every pod of the namespace, those of workloads to come too", "empty selector"
	case b.whole():
		text, evidence = fmt.Sprintf("is empty and selects every pod of the namespace: those of %s", podSetNames(sets)), "empty selector"
	case len(sets) < 2:
		return
	default:
		text = "selects the pods of " + podSetNames(sets)
	}
	p.reportBudget(b, sets, Report{
		Field:    "spec.selector",
		Text:     text + "; they are counted together, so " + mixed(b),
		Fix:      "Give each workload a budget of its own, with its own selector.",
		Evidence: evidence,
		Likely:   b.operated(),
	})
}

// mixed says what comes of counting pods of several workloads together.
func mixed(b *budget) string {
	if b.MaxUnavailable != nil {
		return "a pod of one that is not ready uses up the room of the others"
	}
	return "pods of one make up for those that another lacks"
}
