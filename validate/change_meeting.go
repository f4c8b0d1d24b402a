package validate

import (
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
	n := c.neighbours()
	touched := n.touched(c)
	var budgets []*workload.Object
	for _, o := range n.budgets {
		if slices.ContainsFunc(touched, func(w *workload.Workload) bool { return maySelect(o.Budget, w) }) {
			budgets = append(budgets, o)
		}
	}
	asking := budgets
	if c.New.Budget != nil {
		asking = []*workload.Object{c.New}
		if c.Old != nil && c.Old.Budget != nil {
			asking = append(asking, c.Old)
		}
	}
	if len(asking) == 0 {
		return nil
	}
	met := slices.Clip(budgets)
	taken := map[podSetKey]bool{}
	for _, o := range n.workloads {
		if slices.ContainsFunc(asking, func(b *workload.Object) bool { return maySelect(b.Budget, o.Workload) }) {
			met = append(met, o)
			taken[keyOf(o.Workload.Ref)] = true
		}
	}
	for _, o := range [...]*workload.Object{c.New, c.Old} {
		if o != nil && o.Workload != nil {
			taken[keyOf(o.Workload.Ref)] = true
		}
	}
	met = append(met, n.owners(met, taken)...)
	for _, o := range n.autoscalers {
		if taken[targetKey(o.Autoscaler)] {
			met = append(met, o)
		}
	}
	return slices.Clip(met)
}

// neighbourhood is the other objects of the namespace, by what they are.
type neighbourhood struct{ budgets, workloads, autoscalers []*workload.Object }

func (c Change) neighbours() neighbourhood {
	var n neighbourhood
	for _, o := range c.Neighbours {
		switch {
		case o == nil || o.Ref.Name == c.New.Ref.Name && keyOf(o.Ref) == keyOf(c.New.Ref):
		case o.Workload != nil:
			n.workloads = append(n.workloads, o)
		case o.Autoscaler != nil:
			n.autoscalers = append(n.autoscalers, o)
		case o.Budget != nil && !o.Budget.Deleting && !MadeByProbity(o.Budget):
			n.budgets = append(n.budgets, o)
		}
	}
	return n
}

// touched returns the workloads whose pods the change is about, before and after.
func (n neighbourhood) touched(c Change) []*workload.Workload {
	var touched []*workload.Workload
	for _, o := range [...]*workload.Object{c.New, c.Old} {
		switch {
		case o == nil:
		case o.Workload != nil:
			if len(touched) == 0 || !maps.Equal(touched[0].Pod.Labels, o.Workload.Pod.Labels) {
				touched = append(touched, o.Workload)
			}
		case o.Budget != nil:
			touched = n.appendWorkloads(touched, func(w *workload.Workload) bool { return maySelect(o.Budget, w) })
		case o.Autoscaler != nil:
			target := targetKey(o.Autoscaler)
			touched = n.appendWorkloads(touched, func(w *workload.Workload) bool { return w.Ref.Name == target.name && keyOf(w.Ref) == target })
		}
	}
	return touched
}

func (n neighbourhood) appendWorkloads(to []*workload.Workload, which func(*workload.Workload) bool) []*workload.Workload {
	for _, o := range n.workloads {
		if which(o.Workload) {
			to = append(to, o.Workload)
		}
	}
	return to
}

// owners returns the controllers of met workloads that are judged in their place.
func (n neighbourhood) owners(met []*workload.Object, taken map[podSetKey]bool) []*workload.Object {
	missing := map[podSetKey]bool{}
	for _, o := range met {
		if o.Workload != nil && o.Workload.Controller != nil && !taken[ownerKey(o.Workload)] {
			missing[ownerKey(o.Workload)] = true
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var owners []*workload.Object
	for _, o := range n.workloads {
		if key := keyOf(o.Workload.Ref); missing[key] {
			owners = append(owners, o)
			taken[key] = true
		}
	}
	return owners
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
