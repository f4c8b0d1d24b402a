package validate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/probity-dev/probity/workload"
)

// relevant returns the objects that findings can come of, in their order, and
// the index of each: budgets, the workloads that one selects or seems to mean,
// those that lack one, their autoscalers. In an input of any size they are few, and
// what is left out changes no finding.
func (b *Bundle) relevant() (objects []*workload.Object, indexes []int) {
	s := selection{packed: &b.packed, missing: b.policy.ActionOf(budgetMissing) != Off}
	s.readBudgets()
	if len(s.budgets) == 0 && !s.missing {
		return nil, nil
	}
	s.resolveOwners()
	s.match()
	s.guess()
	for i, o := range b.packed.all() {
		if s.takes(o) {
			objects, indexes = append(objects, clone(o)), append(indexes, i)
		}
	}
	return objects, indexes
}

// selection finds out what is relevant, without unpacking all of it at once.
type selection struct {
	packed *packed
	// missing is set when workloads without budget are findings.
	missing bool

	budgets []*seeker
	// byPair and others find the budgets of a namespace that may select labels:
	// by one of the labels they ask for, or by none.
	byPair map[pairIn][]*seeker
	others map[string][]*seeker
	// present are controllers that are objects of the bundle.
	present map[podSetKey]bool
	// wanted are the workloads that are relevant, and made the custom resources
	// that a budget may be for.
	wanted map[podSetKey]bool
	made   map[customKey]bool
}

type pairIn struct {
	namespace string
	labelPair
}

// seeker is a budget with what it asks for.
type seeker struct {
	*workload.Budget
	selector *workload.Selector
	found    bool
	// elsewhere is the first workload of another namespace that it would select.
	elsewhere *podSetKey
}

func (s *selection) readBudgets() {
	s.byPair, s.others = map[pairIn][]*seeker{}, map[string][]*seeker{}
	s.wanted, s.made = map[podSetKey]bool{}, map[customKey]bool{}
	for _, o := range s.packed.whole {
		if o.Budget == nil {
			continue
		}
		selector, _ := knownPart(o.Budget.Selector)
		sought := &seeker{Budget: o.Budget, selector: selector}
		s.budgets = append(s.budgets, sought)
		if selectsNothing(o.Budget, selector) {
			continue
		}
		namespace := o.Ref.Namespace
		for _, value := range o.Budget.Selector.MatchLabels {
			s.made[customKey{namespace, value}] = true
		}
		pairs := onePairOf(selector)
		for _, pair := range pairs {
			at := pairIn{namespace, pair}
			s.byPair[at] = append(s.byPair[at], sought)
		}
		if len(pairs) == 0 {
			s.others[namespace] = append(s.others[namespace], sought)
		}
	}
}

// onePairOf returns labels of one key of which pods have one where the selector matches:
// without them, each budget would have to look at each workload. Of several keys it is
// that of the least common value, going by length, as values such as Helm select nearly
// everything. None is returned for a selector that only excludes.
func onePairOf(selector *workload.Selector) []labelPair {
	var best *labelPair
	for key, value := range selector.MatchLabels {
		pair := labelPair{key, value}
		if best == nil || cmp.Or(len(pair.value)-len(best.value), strings.Compare(pair.key, best.key)) > 0 {
			best = &pair
		}
	}
	if best != nil {
		return []labelPair{*best}
	}
	for _, r := range selector.MatchExpressions {
		if r.Operator != "In" {
			continue
		}
		var pairs []labelPair
		for _, value := range slices.Compact(slices.Sorted(slices.Values(r.Values))) {
			pairs = append(pairs, labelPair{r.Key, value})
		}
		return pairs
	}
	return nil
}

// resolveOwners finds out which of the controllers that workloads name are here.
func (s *selection) resolveOwners() {
	s.present = map[podSetKey]bool{}
	named := map[podSetKey]bool{}
	for _, o := range s.packed.whole {
		if o.Workload != nil && o.Workload.Controller != nil {
			named[ownerKey(o.Workload)] = true
		}
	}
	if len(named) == 0 {
		return
	}
	for _, o := range s.packed.all() {
		if o.Workload != nil && named[keyOf(o.Ref)] {
			s.present[keyOf(o.Ref)] = true
		}
	}
}

// match wants the workloads that a budget selects, those that may lack one, and
// one at least, which tells that there are workloads.
func (s *selection) match() {
	first := true
	for _, o := range s.packed.all() {
		if a := o.Autoscaler; a != nil && s.missing && a.MinReplicas > 1 {
			s.wanted[targetKey(a)] = true
		}
		key, ok := s.keyOf(o)
		if !ok {
			continue
		}
		many := o.Workload.Replicas != nil && *o.Workload.Replicas > 1
		if s.selected(key.namespace, podLabels(o.Workload)) || first || s.missing && many {
			s.wanted[key], first = true, false
		}
	}
}

// keyOf returns the key of the pod set that a workload belongs to; false for one
// that is judged by its controller, and for what is no workload.
func (s *selection) keyOf(o *workload.Object) (podSetKey, bool) {
	w := o.Workload
	if w == nil || w.Deleting || w.Controller != nil && standsFor(ownerKey(w), s.present) {
		return podSetKey{}, false
	}
	return keyOf(setRef(w)), true
}

func (s *selection) selected(namespace string, labels map[string]string) bool {
	found := false
	try := func(list []*seeker) {
		for _, b := range list {
			if b.selector.Matches(labels) {
				b.found, found = true, true
			}
		}
	}
	for key, value := range labels {
		try(s.byPair[pairIn{namespace, labelPair{key, value}}])
	}
	try(s.others[namespace])
	return found
}

// guess wants, for budgets that select nothing, what the fix may name: workloads
// with some of the labels, and those of another namespace with all of them.
func (s *selection) guess() {
	var lost []*seeker
	near := map[pairIn]int{}
	byPair := map[labelPair][]*seeker{} // wherever their namespace is
	var others []*seeker
	for _, b := range s.budgets {
		if b.found || selectsNothing(b.Budget, b.selector) {
			continue
		}
		lost = append(lost, b)
		for key, value := range b.Selector.MatchLabels {
			near[pairIn{b.Ref.Namespace, labelPair{key, value}}] = 0
		}
		pairs := onePairOf(b.Selector)
		for _, pair := range pairs {
			byPair[pair] = append(byPair[pair], b)
		}
		if len(pairs) == 0 {
			others = append(others, b)
		}
	}
	if len(lost) == 0 {
		return
	}
	for _, o := range s.packed.all() {
		key, ok := s.keyOf(o)
		if !ok {
			continue
		}
		labels := podLabels(o.Workload)
		sees := func(list []*seeker) {
			for _, b := range list {
				if (b.elsewhere == nil || key.namespace < b.elsewhere.namespace) && b.Selector.Matches(labels) {
					b.elsewhere = new(key)
				}
			}
		}
		for label, value := range labels {
			sees(byPair[labelPair{label, value}])
			at := pairIn{key.namespace, labelPair{label, value}}
			if n, sought := near[at]; sought && n < maxNearest {
				near[at]++
				s.wanted[key] = true
			}
		}
		sees(others)
	}
	for _, b := range lost {
		if b.elsewhere != nil {
			s.wanted[*b.elsewhere] = true
		}
	}
}

func (s *selection) takes(o *workload.Object) bool {
	switch {
	case o.Workload != nil:
		key, ok := s.keyOf(o)
		return ok && s.wanted[key]
	case o.Autoscaler != nil:
		return s.wanted[targetKey(o.Autoscaler)]
	case o.Budget != nil:
		return true
	default:
		return s.made[customKey{o.Ref.Namespace, o.Ref.Name}]
	}
}
