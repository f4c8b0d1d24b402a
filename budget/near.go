package budget

import (
	"maps"
	"slices"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Near returns the objects of a namespace that a change may concern: all that
// validate.Change looks at, in an order that the same objects always have. It asks
// the indexes, so that a review costs as much in a large namespace as in a small one.
// changed are the versions of the object, old and new. What is returned may not be
// changed.
func (s *State) Near(namespace string, changed ...*workload.Object) []*workload.Object {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if in := s.spaces[namespace]; in != nil {
		return in.near(changed)
	}
	return nil
}

func (s *space) near(changed []*workload.Object) []*workload.Object {
	n := nearby{space: s}
	touched := s.touched(changed)
	asking := n.budgetsOf(touched)
	if own := budgetsAmong(changed); len(own) > 0 {
		asking = own // the others matter for the pods that they share
	}
	if len(asking) == 0 {
		return nil // as for nearly every workload: a budget of ours makes way
	}
	for _, b := range asking {
		n.workloadsOf(b)
	}
	n.controllers()
	for _, w := range slices.Concat(touched, n.workloads) {
		for _, scaler := range s.scalers[validate.IdentityOf(w.Ref)] {
			n.add(scaler)
		}
	}
	ids := slices.SortedFunc(maps.Keys(n.found), compareIdentities)
	list := make([]*workload.Object, 0, len(ids))
	for _, id := range ids {
		list = append(list, n.found[id])
	}
	return list
}

func budgetsAmong(objects []*workload.Object) []*workload.Budget {
	var budgets []*workload.Budget
	for _, o := range objects {
		if o.Budget != nil {
			budgets = append(budgets, o.Budget)
		}
	}
	return budgets
}

// touched returns the workloads whose pods, or whose number of pods, a change is about.
func (s *space) touched(changed []*workload.Object) []*workload.Workload {
	var touched []*workload.Workload
	for _, o := range changed {
		switch {
		case o.Workload != nil:
			touched = append(touched, o.Workload)
		case o.Budget != nil:
			for r := range s.selects(o.Budget) {
				touched = append(touched, r.object.Workload)
			}
		case o.Autoscaler != nil:
			if r := s.records[validate.TargetOf(o.Autoscaler)]; r != nil && r.object.Workload != nil {
				touched = append(touched, r.object.Workload)
			}
		}
	}
	return touched
}

// nearby collects what a change may concern.
type nearby struct {
	*space
	found     map[validate.Identity]*workload.Object
	workloads []*workload.Workload // those among them
}

// add notes an object, and reports whether it is the first time.
func (n *nearby) add(r *record) bool {
	id := validate.IdentityOf(r.object.Ref)
	if n.found[id] != nil {
		return false
	}
	if n.found == nil {
		n.found = map[validate.Identity]*workload.Object{}
	}
	n.found[id] = r.object
	return true
}

// budgetsOf adds the budgets that may select the pods, but for ours and those on
// their way out, and returns them.
func (n *nearby) budgetsOf(pods []*workload.Workload) []*workload.Budget {
	var added []*workload.Budget
	for _, w := range pods {
		n.budgets.candidates(w.Pod.Labels, func(r *record) bool {
			b := r.object.Budget
			if !b.Deleting && !validate.MadeByProbity(b) && validate.Selects(b.Selector, w) != validate.SelectsNone && n.add(r) {
				added = append(added, b)
			}
			return true
		})
	}
	return added
}

// workloadsOf adds the workloads whose pods a budget may select.
func (n *nearby) workloadsOf(b *workload.Budget) {
	for r := range n.selects(b) {
		n.addWorkload(r)
	}
}

func (n *nearby) addWorkload(r *record) {
	if n.add(r) {
		n.workloads = append(n.workloads, r.object.Workload)
	}
}

// controllers adds those of the workloads, which are judged in their place.
func (n *nearby) controllers() {
	for i := 0; i < len(n.workloads); i++ { // a controller may have one, too
		id, ok := validate.ControllerOf(n.workloads[i])
		if r := n.records[id]; ok && r != nil && r.object.Workload != nil {
			n.addWorkload(r)
		}
	}
}
