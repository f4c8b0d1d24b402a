package validate

import (
	"iter"
	"maps"
	"slices"

	"github.com/probity-dev/probity/workload"
)

// MadeByProbity reports whether Probity's controller made the budget, and takes it
// away when it is not needed.
func MadeByProbity(b *workload.Budget) bool {
	return b.Controller != nil && b.Labels["app.kubernetes.io/managed-by"] == "probity"
}

// Meeting returns the neighbours that the change can matter to: the budgets that
// select the changed pods, and all that says how many pods those budgets have. It is
// empty when no budget is concerned. Among them the change is judged as among all.
func (c Change) Meeting() []*workload.Object {
	touched := c.touched()
	var met []*workload.Object
	for o := range c.budgets() {
		if slices.ContainsFunc(touched, func(w *workload.Workload) bool { return maySelect(o.Budget, w) }) && c.isNeighbour(o) {
			met = append(met, o)
		}
	}
	asking := slices.Clip(met)
	if c.New.Budget != nil {
		asking = []*workload.Object{c.New}
		if c.Old != nil && c.Old.Budget != nil {
			asking = append(asking, c.Old)
		}
	}
	if len(asking) == 0 {
		return nil
	}
	taken := map[podSetKey]bool{}
	for _, w := range touched {
		taken[keyOf(w.Ref)] = true
	}
	for o := range c.workloads() {
		if slices.ContainsFunc(asking, func(b *workload.Object) bool { return maySelect(b.Budget, o.Workload) }) && c.isNeighbour(o) {
			met = append(met, o)
			taken[keyOf(o.Workload.Ref)] = true
		}
	}
	met = c.withOwners(met, taken)
	for _, o := range c.Neighbours {
		if o != nil && o.Autoscaler != nil && taken[targetKey(o.Autoscaler)] && c.isNeighbour(o) {
			met = append(met, o)
		}
	}
	return slices.Clip(met)
}

// isNeighbour tells the neighbours from versions of the changed object.
func (c Change) isNeighbour(o *workload.Object) bool {
	return o.Ref.Name != c.New.Ref.Name || keyOf(o.Ref) != keyOf(c.New.Ref)
}

// budgets yields the budgets that are there to stay, perhaps with versions of the
// changed one.
func (c Change) budgets() iter.Seq[*workload.Object] {
	return func(yield func(*workload.Object) bool) {
		for _, o := range c.Neighbours {
			if o != nil && o.Budget != nil && !o.Budget.Deleting && !MadeByProbity(o.Budget) && !yield(o) {
				return
			}
		}
	}
}

// workloads yields the workloads, perhaps with versions of the changed one.
func (c Change) workloads() iter.Seq[*workload.Object] {
	return func(yield func(*workload.Object) bool) {
		for _, o := range c.Neighbours {
			if o != nil && o.Workload != nil && !yield(o) {
				return
			}
		}
	}
}

// touched returns the workloads whose pods the change is about, before and after.
func (c Change) touched() []*workload.Workload {
	var touched []*workload.Workload
	for _, o := range [...]*workload.Object{c.New, c.Old} {
		switch {
		case o == nil:
		case o.Workload != nil:
			if len(touched) == 0 || !maps.Equal(touched[0].Pod.Labels, o.Workload.Pod.Labels) {
				touched = append(touched, o.Workload)
			}
		case o.Budget != nil:
			for w := range c.workloads() {
				if maySelect(o.Budget, w.Workload) {
					touched = append(touched, w.Workload)
				}
			}
		case o.Autoscaler != nil:
			target := targetKey(o.Autoscaler)
			for w := range c.workloads() {
				if w.Ref.Name == target.name && keyOf(w.Ref) == target {
					touched = append(touched, w.Workload)
				}
			}
		}
	}
	return touched
}

// withOwners adds the controllers of met workloads, which are judged in their
// place.
func (c Change) withOwners(met []*workload.Object, taken map[podSetKey]bool) []*workload.Object {
	missing := map[podSetKey]bool{}
	for _, o := range met {
		if o.Workload != nil && o.Workload.Controller != nil && !taken[ownerKey(o.Workload)] {
			missing[ownerKey(o.Workload)] = true
		}
	}
	if len(missing) == 0 {
		return met
	}
	for o := range c.workloads() {
		if key := keyOf(o.Workload.Ref); missing[key] && c.isNeighbour(o) {
			met = append(met, o)
			taken[key] = true
		}
	}
	return met
}

// maySelect reports whether a budget selects the pods of a workload, by the part of
// its selector that can be asked. It is quick to say no, as most pairs of a
// namespace do not meet.
func maySelect(b *workload.Budget, w *workload.Workload) bool {
	if b.Selector == nil {
		return false
	}
	for key, value := range b.Selector.MatchLabels {
		if w.Pod.Labels[key] != value && !madeUp(key) && !jobName(key) {
			return false
		}
	}
	selector, _ := knownPart(b.Selector)
	return selector.Matches(podLabels(w))
}

// jobName reports whether a Job's controller writes the label.
func jobName(key string) bool { return key == "job-name" || key == "batch.kubernetes.io/job-name" }
