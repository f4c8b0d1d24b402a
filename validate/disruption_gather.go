package validate

import (
	"slices"

	"github.com/probity-dev/probity/workload"
)

// bundle is what a set of objects makes: pods, and budgets that select them.
type bundle struct {
	sets    []*podSet
	budgets []*budget
	// in holds the sets of each namespace, and indexes what finds them by label,
	// once somebody asks.
	in      map[string][]*podSet
	indexes map[string]*podIndex
	customs customs
}

// gather makes pod sets of the objects and finds which budget selects which.
func gather(objects []*workload.Object) *bundle {
	g := gatherer{present: map[podSetKey]bool{}, sets: map[podSetKey]*podSet{}, bundle: bundle{in: map[string][]*podSet{}, indexes: map[string]*podIndex{}, customs: customs{}}}
	for _, o := range objects {
		if o != nil && o.Workload != nil {
			g.present[keyOf(o.Workload.Ref)] = true
		}
	}
	scalers := map[podSetKey][]*workload.Autoscaler{}
	for i, o := range objects {
		switch {
		case o == nil:
		case o.Workload != nil:
			g.workload(i, o.Workload)
		case o.Autoscaler != nil:
			key := targetKey(o.Autoscaler)
			scalers[key] = append(scalers[key], o.Autoscaler)
		case isCustom(o.Ref):
			g.bundle.customs.add(o.Ref)
		}
	}
	for _, s := range g.bundle.sets {
		key := keyOf(s.ref)
		s.countPods(key, scalers[key])
		g.bundle.in[s.ref.Namespace] = append(g.bundle.in[s.ref.Namespace], s)
	}
	g.bundle.cover(objects)
	return &g.bundle
}

func (b *bundle) index(namespace string) *podIndex {
	x := b.indexes[namespace]
	if x == nil {
		x = newPodIndex(b.in[namespace])
		b.indexes[namespace] = x
	}
	return x
}

// gatherer is a bundle in the making.
type gatherer struct {
	bundle  bundle
	present map[podSetKey]bool
	sets    map[podSetKey]*podSet
}

// workload adds an object to the set of its name. Pods of a custom resource that
// is not here make up a set under the resource's name.
func (g *gatherer) workload(index int, w *workload.Workload) {
	if w.Deleting {
		return
	}
	if w.Controller != nil && standsFor(ownerKey(w), g.present) {
		return
	}
	ref := setRef(w)
	key := keyOf(ref)
	s := g.sets[key]
	if s == nil {
		s = &podSet{ref: ref, index: index, operated: w.Controller != nil}
		g.sets[key] = s
		g.bundle.sets = append(g.bundle.sets, s)
	}
	s.variants = append(s.variants, w)
}

// setRef names the set that a workload belongs to: itself, or for a Pod of a custom
// resource that resource.
func setRef(w *workload.Workload) workload.Ref {
	if w.Controller == nil || w.Ref.Kind != "Pod" {
		return w.Ref
	}
	return workload.Ref{APIVersion: w.Controller.APIVersion, Kind: w.Controller.Kind, Namespace: w.Ref.Namespace, Name: w.Controller.Name}
}

// cover finds what each budget selects. One that the API server refuses selects
// nothing, and neither does a patch, which has only the name of a budget; of one
// that asks for what only a cluster can tell, no more is known than that its pods
// may be covered.
func (b *bundle) cover(objects []*workload.Object) {
	whole := map[string]bool{} // names: a patch may have no namespace yet
	for _, o := range objects {
		if o != nil && o.Budget != nil && o.Budget.Selector != nil {
			whole[o.Budget.Ref.Name] = true
		}
	}
	for i, o := range objects {
		if o == nil || o.Budget == nil || o.Budget.Deleting || o.Budget.Selector == nil && whole[o.Budget.Ref.Name] {
			continue
		}
		selector, exact := knownPart(o.Budget.Selector)
		sets := b.index(o.Budget.Ref.Namespace).selected(o.Budget, selector)
		for _, s := range sets {
			s.covered = true
		}
		if exact && len(o.Budget.Problems) == 0 {
			b.addBudget(&budget{Budget: o.Budget, index: i, sets: sets})
		}
	}
}

func (b *bundle) addBudget(made *budget) {
	b.budgets = append(b.budgets, made)
	for _, s := range made.sets {
		// Two variants of one budget are never there together, and no message
		// names more than a few.
		if len(s.budgets) <= maxNames+1 && !slices.ContainsFunc(s.budgets, func(other *budget) bool { return other.Ref == made.Ref }) {
			s.budgets = append(s.budgets, made)
		}
	}
}
