package budget

import (
	"slices"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

type pair struct{ key, value string }

// few is up to how many records of a namespace each is asked: most namespaces have no
// more, and there the maps of an index take more memory than what they point to.
const few = 16

// selectors finds the records whose selector may select an object with certain
// labels, without asking each when they are many. A selector waits at one of its
// matchLabels, that at which the fewest others do; without any it is asked every time.
type selectors struct {
	at   map[pair][]*record // nil while there are few, and all are in wide
	wide []*record
}

func (x *selectors) add(r *record, s *workload.Selector) {
	if s == nil {
		return // selects nothing
	}
	if x.at == nil && len(x.wide) < few {
		x.wide = append(x.wide, r)
		return
	}
	if x.at == nil {
		all := x.wide
		x.at, x.wide = map[pair][]*record{}, nil
		for _, other := range all {
			x.spread(other, selectorOf(other))
		}
	}
	x.spread(r, s)
}

// selectorOf returns the selector of a workload or a budget.
func selectorOf(r *record) *workload.Selector {
	if w := r.object.Workload; w != nil {
		return w.Selector
	}
	return r.object.Budget.Selector
}

func (x *selectors) spread(r *record, s *workload.Selector) {
	anchor, ok := x.anchor(s)
	if !ok {
		x.wide = append(x.wide, r)
		return
	}
	x.at[anchor] = append(x.at[anchor], r)
}

// anchor returns the place of a selector. A label that controllers make up is
// none: no template has it.
func (x *selectors) anchor(s *workload.Selector) (best pair, ok bool) {
	fewest := 0
	for key, value := range s.MatchLabels {
		p := pair{key, value}
		if n := len(x.at[p]); !validate.MadeUp(key) && (!ok || n < fewest) {
			best, fewest, ok = p, n, true
		}
	}
	return best, ok
}

func (x *selectors) remove(r *record, s *workload.Selector) {
	if s == nil {
		return
	}
	for key, value := range s.MatchLabels {
		if removeFrom(x.at, pair{key, value}, r) {
			return
		}
	}
	x.wide, _ = without(x.wide, r)
}

// candidates calls yield for all that may select pods with the labels, until it
// says no.
func (x *selectors) candidates(labels map[string]string, yield func(*record) bool) {
	for _, r := range x.wide {
		if !yield(r) {
			return
		}
	}
	for key, value := range labels {
		for _, r := range x.at[pair{key, value}] {
			if !yield(r) {
				return
			}
		}
	}
}

// templates finds the workloads whose pods have certain labels.
type templates struct {
	at  map[pair][]*record // nil while there are few
	all []*record
}

func (x *templates) add(r *record) {
	x.all = append(x.all, r)
	switch {
	case x.at != nil:
		x.spread(r)
	case len(x.all) > few:
		x.at = map[pair][]*record{}
		for _, other := range x.all {
			x.spread(other)
		}
	}
}

func (x *templates) spread(r *record) {
	for key, value := range r.object.Workload.Pod.Labels {
		p := pair{key, value}
		x.at[p] = append(x.at[p], r)
	}
}

func (x *templates) remove(r *record) {
	x.all, _ = without(x.all, r)
	for key, value := range r.object.Workload.Pod.Labels {
		removeFrom(x.at, pair{key, value}, r)
	}
}

// candidates calls yield for all workloads whose pods the selector may select,
// until it says no: those that the rarest of its labels gives.
func (x *templates) candidates(s *workload.Selector, yield func(*record) bool) {
	if s == nil {
		return
	}
	var best []*record
	found := false
	for key, value := range s.MatchLabels {
		if x.at == nil || validate.MadeUp(key) {
			continue
		}
		if list := x.at[pair{key, value}]; !found || len(list) < len(best) {
			best, found = list, true
		}
	}
	for _, r := range best {
		if !yield(r) {
			return
		}
	}
	if found {
		return
	}
	for _, r := range x.all {
		if !yield(r) {
			return
		}
	}
}

// removeFrom takes a record out of one of many lists.
func removeFrom(lists map[pair][]*record, at pair, r *record) bool {
	list, found := without(lists[at], r)
	switch {
	case !found:
	case len(list) == 0:
		delete(lists, at)
	default:
		lists[at] = list
	}
	return found
}

// without takes a record out of a list whose order does not matter.
func without(list []*record, r *record) (rest []*record, found bool) {
	i := slices.Index(list, r)
	if i < 0 {
		return list, false
	}
	last := len(list) - 1
	list[i], list[last] = list[last], nil
	return list[:last], true
}
