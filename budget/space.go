package budget

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// space is what is known of one namespace, so indexed that a change asks after
// the few objects that it concerns.
type space struct {
	records map[validate.Identity]*record
	// scalers are by their target.
	scalers map[validate.Identity][]*record
	// budgets and workloads by what they select, and workloads by their pods.
	budgets   selectors
	selecting selectors
	templates templates

	// madeBy are the labels of most budgets of ours; all namespaces share them.
	madeBy map[string]string
}

// madeBy returns labels for newSpace, to be shared by all namespaces.
func madeBy() map[string]string { return map[string]string{Label: LabelValue} }

func newSpace(madeBy map[string]string) *space {
	return &space{records: map[validate.Identity]*record{}, scalers: map[validate.Identity][]*record{}, madeBy: madeBy}
}

// affected are the workloads whose budget a change may make right or wrong.
type affected map[validate.Identity]struct{}

func (a affected) add(id validate.Identity) { a[id] = struct{}{} }

// put takes an object, new or changed. It reports whether anything that is kept
// differs, and whose budget that concerns.
func (s *space) put(r *record) (whom affected, changed bool) {
	id := validate.IdentityOf(r.object.Ref)
	old := s.records[id]
	if old != nil && before(r.version, old.version) {
		return nil, false
	}
	if old != nil && same(old, r) {
		// Only a version may have moved, as with every new status.
		old.version = r.version
		return nil, false
	}
	whom = affected{}
	if old != nil {
		s.leave(old)
		s.concern(old, whom)
	}
	s.share(r)
	s.records[id] = r
	s.enter(r)
	s.concern(r, whom)
	return whom, true
}

// remove forgets an object.
func (s *space) remove(id validate.Identity) (whom affected, changed bool) {
	old := s.records[id]
	if old == nil {
		return nil, false
	}
	whom = affected{}
	delete(s.records, id)
	s.leave(old)
	s.concern(old, whom)
	return whom, true
}

// before reports whether a resourceVersion is one before the other: what this process
// wrote is known before a watch tells of it, or of what was there until then. Only
// those of budgets are kept; of others nothing is before anything.
func before(version, known string) bool {
	a, errA := strconv.ParseUint(version, 10, 64)
	b, errB := strconv.ParseUint(known, 10, 64)
	return errA == nil && errB == nil && a < b
}

// same reports whether two records of one object say the same.
func same(a, b *record) bool {
	return a.uid == b.uid && a.owner == b.owner && reflect.DeepEqual(a.object, b.object)
}

// enter puts a record into the indexes.
func (s *space) enter(r *record) {
	switch o := r.object; {
	case o.Workload != nil:
		s.selecting.add(r, o.Workload.Selector)
		s.templates.add(r)
	case o.Budget != nil:
		s.budgets.add(r, o.Budget.Selector)
	case o.Autoscaler != nil:
		target := validate.TargetOf(o.Autoscaler)
		s.scalers[target] = append(s.scalers[target], r)
	}
}

// leave takes it out again.
func (s *space) leave(r *record) {
	switch o := r.object; {
	case o.Workload != nil:
		s.selecting.remove(r, o.Workload.Selector)
		s.templates.remove(r)
	case o.Budget != nil:
		s.budgets.remove(r, o.Budget.Selector)
	case o.Autoscaler != nil:
		target := validate.TargetOf(o.Autoscaler)
		s.scalers[target] = slices.DeleteFunc(s.scalers[target], func(other *record) bool { return other == r })
		if len(s.scalers[target]) == 0 {
			delete(s.scalers, target)
		}
	}
}

// concern notes whose budget a record matters to.
func (s *space) concern(r *record, whom affected) {
	switch o := r.object; {
	case o.Workload != nil:
		s.neighbours(r, whom)
	case o.Budget != nil:
		s.selected(r, whom)
	case o.Autoscaler != nil:
		whom.add(validate.TargetOf(o.Autoscaler))
	}
}

// neighbours notes a workload and those that share pods with it.
func (s *space) neighbours(r *record, whom affected) {
	whom.add(validate.IdentityOf(r.object.Ref))
	s.sharing(r, func(other *record) bool {
		whom.add(validate.IdentityOf(other.object.Ref))
		return true
	})
}

// selected notes the workloads that a budget selects, and whom it was made for.
func (s *space) selected(r *record, whom affected) {
	b := r.object.Budget
	if b.Controller != nil {
		whom.add(controllerOf(b))
	} else if Ours(b) {
		whom.add(validate.IdentityOf(b.Ref)) // it has lost its workload
	}
	for w := range s.selects(b) {
		whom.add(validate.IdentityOf(w.object.Ref))
	}
}

// selects yields the workloads whose pods a budget may select.
func (s *space) selects(b *workload.Budget) iter.Seq[*record] {
	return func(yield func(*record) bool) {
		s.templates.candidates(b.Selector, func(w *record) bool {
			return validate.Selects(b.Selector, w.object.Workload) == validate.SelectsNone || yield(w)
		})
	}
}

// sharing calls yield for the workloads that share pods with one: whose pods it
// selects, or who select its pods. Some come twice.
func (s *space) sharing(r *record, yield func(*record) bool) {
	w := r.object.Workload
	more := true
	s.templates.candidates(w.Selector, func(other *record) bool {
		if other != r && validate.Selects(w.Selector, other.object.Workload) != validate.SelectsNone {
			more = yield(other)
		}
		return more
	})
	if !more {
		return
	}
	s.selecting.candidates(w.Pod.Labels, func(other *record) bool {
		return other == r || validate.Selects(other.object.Workload.Selector, w) == validate.SelectsNone || yield(other)
	})
}

// share lets a workload and the budget that was made for it have one selector and
// one name: most often there is such a budget for each workload.
func (s *space) share(r *record) {
	switch o := r.object; {
	case o.Workload != nil:
		made := o.Ref
		made.APIVersion, made.Kind, made.Name = "policy/v1", "PodDisruptionBudget", Name(o.Ref)
		if b := s.records[validate.IdentityOf(made)]; b != nil && b.object.Budget != nil && Ours(b.object.Budget) {
			o.Workload.Selector = shared(b.object.Budget.Selector, o.Workload.Selector)
		}
	case o.Budget != nil && o.Budget.Controller != nil && Ours(o.Budget):
		if len(o.Budget.Labels) == 1 {
			o.Budget.Labels = s.madeBy
		}
		if w := s.records[controllerOf(o.Budget)]; w != nil && w.object.Workload != nil {
			o.Budget.Selector = shared(w.object.Workload.Selector, o.Budget.Selector)
			o.Budget.Controller.Name = w.object.Ref.Name
			if r.owner == w.uid {
				r.owner = w.uid // the same text, once
			}
		}
	}
}

// shared returns the one that is there already when both say the same.
func shared(there, fresh *workload.Selector) *workload.Selector {
	if reflect.DeepEqual(there, fresh) {
		return there
	}
	return fresh
}

// controllerOf returns the identity of a budget's controller.
func controllerOf(b *workload.Budget) validate.Identity {
	return validate.IdentityOf(workload.Ref{APIVersion: b.Controller.APIVersion, Kind: b.Controller.Kind, Namespace: b.Ref.Namespace, Name: b.Controller.Name})
}

func compareIdentities(a, b validate.Identity) int {
	return cmp.Or(strings.Compare(a.Group, b.Group), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name))
}
