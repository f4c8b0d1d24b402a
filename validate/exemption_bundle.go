package validate

import (
	"maps"
	"slices"

	"github.com/probity-dev/probity/workload"
)

// aboutBundles returns the judge with the exemptions that are about rules on several
// objects: a list for a whole cluster may hold thousands of others.
func (j Judge) aboutBundles() Judge {
	e := *j.exemptions()
	e.Workloads = nil
	for _, x := range j.exemptions().Workloads {
		if slices.ContainsFunc(x.Rules, ofBundles) {
			e.Workloads = append(e.Workloads, x)
		}
	}
	j.Exemptions = &e
	return j
}

// BundleNotice is a notice with the index of its object.
type BundleNotice struct {
	Notice
	Index int
}

// Bundle is EvaluateBundle with exemptions, and what is to be said of those. Of a
// workload's annotations that are not legal, Workload tells.
func (j Judge) Bundle(objects []*workload.Object) ([]BundleFinding, []BundleNotice) {
	j = j.aboutBundles()
	exempting := map[int]*exempting{}
	for i, o := range objects {
		if x := j.exempting(o); x != nil {
			exempting[i] = x
		}
	}
	return j.together(objects, exempting, func(i int) int { return i })
}

// together judges objects, whose indexes index turns into those of what exempts
// them and of the result.
func (j Judge) together(objects []*workload.Object, by map[int]*exempting, index func(int) int) (found []BundleFinding, notices []BundleNotice) {
	for _, f := range judgeBundle(objects, j.Policy) {
		f.Index = index(f.Index)
		var sets []*exempting
		for _, s := range f.sets {
			sets = append(sets, by[index(s.index)])
		}
		own := by[f.Index]
		if own.isWhole() || len(sets) > 0 && !slices.ContainsFunc(sets, func(x *exempting) bool { return !x.isWhole() }) {
			continue
		}
		cover(&f.Finding, []*exempting{own}, sets)
		found = append(found, f.BundleFinding)
	}
	for _, i := range slices.Sorted(maps.Keys(by)) {
		by[i].unused(j.Policy, true)
		for _, n := range by[i].result() {
			notices = append(notices, BundleNotice{n, i})
		}
	}
	return found, notices
}

func ofBundles(id string) bool {
	r, ok := FindRule(id)
	return ok && r.CheckBundle != nil
}

// exempting returns what exempts an object from rules on several objects; nil for
// nothing, which most have.
func (j Judge) exempting(o *workload.Object) *exempting {
	object := candidateIn(o)
	if object == nil {
		return nil
	}
	if j.whole(object).By != "" {
		return &exempting{whole: true}
	}
	if len(j.exemptions().Workloads) == 0 && !mentionsProbity(object.annotations) && !mentionsProbity(object.labels) {
		return nil
	}
	x := newExempting(j.exemptions(), j.Now, object)
	if o.Workload != nil {
		x.notices = nil // Workload gives them
	}
	if len(x.listed) == 0 && len(x.notices) == 0 && !slices.ContainsFunc(x.own.rules, ofBundles) {
		return nil
	}
	return x
}

// candidateIn returns the object that findings are on: pods stand for the custom
// resource that made them. It is nil for one that no finding is on.
func candidateIn(o *workload.Object) *candidate {
	switch {
	case o == nil:
		return nil
	case o.Workload != nil:
		c := candidateOf(o.Workload)
		c.ref = setRef(o.Workload)
		return c
	case o.Budget != nil:
		return &candidate{ref: o.Ref, labels: o.Budget.Labels, annotations: o.Budget.Annotations}
	case o.Autoscaler != nil:
		return &candidate{ref: o.Ref}
	default:
		return nil
	}
}

func (x *exempting) isWhole() bool { return x != nil && x.whole }

// cover exempts a finding on several objects if something exempts all objects of one
// of the groups: the budget, say, or all workloads that it is wrong for.
func cover(f *Finding, groups ...[]*exempting) {
	for _, group := range groups {
		covered, all := *f, len(group) > 0
		for i, x := range group {
			once := *f
			if x != nil {
				x.apply(&once, nil)
			}
			if i == 0 {
				covered = once
			}
			all = all && once.Exempted
		}
		if all {
			*f = covered
			return
		}
	}
}
