package validate

import (
	"cmp"
	"slices"

	"github.com/probity-dev/probity/workload"
)

// podIndex finds the pod sets of a namespace that a selector selects, without
// asking each.
type podIndex struct {
	all    []*podSet
	byPair map[labelPair][]*podSet
	byKey  map[string][]*podSet // nil until somebody asks
}

type labelPair struct{ key, value string }

func newPodIndex(sets []*podSet) *podIndex {
	x := &podIndex{all: sets, byPair: make(map[labelPair][]*podSet, len(sets))}
	for _, s := range sets {
		for _, w := range s.variants {
			s.labels = append(s.labels, podLabels(w))
		}
		for _, labels := range s.labels {
			for key, value := range labels {
				addSet(x.byPair, labelPair{key, value}, s)
			}
		}
	}
	return x
}

func addSet[K comparable](to map[K][]*podSet, key K, s *podSet) {
	if list := to[key]; len(list) == 0 || list[len(list)-1] != s {
		to[key] = append(list, s)
	}
}

// withKey returns the sets whose pods have a label of that name.
func (x *podIndex) withKey(key string) []*podSet {
	if x.byKey == nil {
		x.byKey = map[string][]*podSet{}
		for _, s := range x.all {
			for _, labels := range s.labels {
				for key := range labels {
					addSet(x.byKey, key, s)
				}
			}
		}
	}
	return x.byKey[key]
}

// selected returns the sets that the budget selects, in order. The selector is
// the part of the budget's that can be asked.
func (x *podIndex) selected(b *workload.Budget, selector *workload.Selector) []*podSet {
	if selectsNothing(b, selector) {
		return nil
	}
	var sets []*podSet
	for _, s := range x.candidates(selector) {
		if s.matches(selector) {
			sets = append(sets, s)
		}
	}
	slices.SortFunc(sets, func(a, b *podSet) int { return cmp.Compare(a.index, b.index) })
	return slices.Compact(sets)
}

// selectsNothing reports whether a budget with that known part of a selector has
// no pods whatever there is: policy/v1beta1 had an empty selector select nothing.
func selectsNothing(b *workload.Budget, selector *workload.Selector) bool {
	return selector == nil || selector.Empty() && b.Selector.Empty() && b.Ref.APIVersion == "policy/v1beta1"
}

func (s *podSet) matches(selector *workload.Selector) bool {
	return slices.ContainsFunc(s.labels, selector.Matches)
}

// candidates returns a list that holds all sets that the selector selects: the
// shortest that one of its requirements gives.
func (x *podIndex) candidates(selector *workload.Selector) []*podSet {
	best := x.all
	shorter := func(list []*podSet) {
		if len(list) < len(best) {
			best = list
		}
	}
	for key, value := range selector.MatchLabels {
		shorter(x.byPair[labelPair{key, value}])
	}
	for _, r := range selector.MatchExpressions {
		switch r.Operator {
		case "In":
			var list []*podSet
			for _, value := range r.Values {
				list = append(list, x.byPair[labelPair{r.Key, value}]...)
			}
			shorter(list)
		case "Exists":
			shorter(x.withKey(r.Key))
		}
	}
	return best
}

// knownPart returns the selector without what asks for a value that a controller
// or the API server makes up, such as the name of a StatefulSet's pod; exact is
// false when there is such a thing.
func knownPart(selector *workload.Selector) (part *workload.Selector, exact bool) {
	if selector == nil {
		return nil, true
	}
	part = &workload.Selector{MatchLabels: map[string]string{}}
	for key, value := range selector.MatchLabels {
		if !madeUp(key) {
			part.MatchLabels[key] = value
		}
	}
	for _, r := range selector.MatchExpressions {
		if r.Operator != "In" || !madeUp(r.Key) {
			part.MatchExpressions = append(part.MatchExpressions, r)
		}
	}
	exact = len(part.MatchLabels) == len(selector.MatchLabels) && len(part.MatchExpressions) == len(selector.MatchExpressions)
	return part, exact
}

// madeUp reports whether no manifest can tell the value of a pod's label.
func madeUp(key string) bool { return madeUpLabels[key] }

// madeUpLabels are those that the admission plugin PodTopologyLabels and the
// controllers write, but for the name of a Job, which is known.
var madeUpLabels = func() map[string]bool {
	made := map[string]bool{"topology.kubernetes.io/zone": true, "topology.kubernetes.io/region": true}
	for _, kind := range [...]string{"Deployment", "Rollout", "StatefulSet", "DaemonSet", "Job"} {
		for _, key := range controllerLabels(kind) {
			made[key] = true
		}
	}
	delete(made, "job-name")
	delete(made, "batch.kubernetes.io/job-name")
	return made
}()
