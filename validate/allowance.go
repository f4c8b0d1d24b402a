package validate

import "github.com/probity-dev/probity/workload"

// Allowance is what a disruption budget comes to while the workloads that it
// selects run as many pods as they do at the least, all of them healthy. The
// numbers are those of the budget's status.
type Allowance struct {
	Budget workload.Ref
	// Workloads are those whose pods the budget selects, in the order given.
	Workloads []workload.Ref
	// Unsupported are those of them that the disruption controller cannot count
	// for this budget: it gives up on the budget and lets nothing go. Pods without
	// a controller are not among them: they are left out of the count.
	Unsupported []workload.Ref
	// Known is set when the objects tell how many pods there are. Without it, and
	// with something unsupported, the numbers are zero.
	Known bool

	CurrentHealthy, ExpectedPods, DesiredHealthy, DisruptionsAllowed int32
}

// Allowances says what each legal budget among the objects allows, in their order.
// A budget that asks for labels that only a cluster can tell is left out.
func Allowances(objects []*workload.Object) []Allowance {
	var all []Allowance
	for _, b := range gather(objects).budgets {
		all = append(all, b.allowance())
	}
	return all
}

func (b *budget) allowance() Allowance {
	a := Allowance{Budget: b.Ref, Workloads: refsOf(b.sets)}
	f := b.floor()
	a.Known = f.known
	if b.relative() {
		a.Unsupported = refsOf(b.of(unscaled))
	}
	if !a.Known || len(a.Unsupported) > 0 {
		return a
	}
	a.CurrentHealthy = f.pods
	a.ExpectedPods, a.DesiredHealthy = wanted(b.Budget, f)
	a.DisruptionsAllowed = evictable(b.Budget, f)
	return a
}

func refsOf(sets []*podSet) []workload.Ref {
	var refs []workload.Ref
	for _, s := range sets {
		refs = append(refs, s.ref)
	}
	return refs
}
