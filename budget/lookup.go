package budget

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// What the controller asks of the state.

// around returns what matters to the budget of a workload, and its uid.
func (s *State) around(id validate.Identity) (surroundings, types.UID, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	in := s.spaces[id.Namespace]
	if in == nil {
		return surroundings{}, "", false
	}
	a, ok := in.around(id)
	if !ok {
		return surroundings{}, "", false
	}
	return a, in.records[id].uid, true
}

// concerned returns the workloads of a namespace, or of all of them for "", and what
// leads to our budgets that have lost theirs.
func (s *State) concerned(namespace string) []validate.Identity {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var ids []validate.Identity
	for name, in := range s.spaces {
		if namespace != "" && name != namespace {
			continue
		}
		for id, r := range in.records {
			switch o := r.object; {
			case o.Workload != nil:
				ids = append(ids, id)
			case o.Budget != nil && Ours(o.Budget):
				if o.Budget.Controller == nil {
					ids = append(ids, id)
				} else if owner := controllerOf(o.Budget); in.records[owner] == nil {
					ids = append(ids, owner)
				}
			}
		}
	}
	return ids
}

// budgeted reports whether budgets are made for workloads of a kind: not for those
// that a Deployment makes, nor for what has no number of replicas.
func budgeted(id validate.Identity) bool {
	switch id.Group {
	case "", "batch", "extensions":
		return false
	case "apps":
		return id.Kind == "Deployment" || id.Kind == "StatefulSet"
	default:
		return true
	}
}

// configured reports whether budgets are made for workloads of that kind.
func (s *State) configured(id validate.Identity) bool {
	if id.Group == "apps" {
		return budgeted(id)
	}
	return slices.ContainsFunc(s.kinds.Load().Custom(), func(kind workload.CustomKind) bool {
		return kind.Group == id.Group && kind.Kind == id.Kind
	})
}

// leftBy returns our budget of a workload that is not there, with its owner reference
// or without; nil when there is none.
func (s *State) leftBy(id validate.Identity) *record {
	name := Name(workload.Ref{APIVersion: id.Group + "/v1", Kind: id.Kind, Name: id.Name})
	return s.ours(budgetIdentity(id.Namespace, name), func(b *workload.Budget) bool { return b.Controller == nil || controllerOf(b) == id })
}

// orphan returns our budget of that identity if nothing owns it.
func (s *State) orphan(id validate.Identity) *record {
	return s.ours(id, func(b *workload.Budget) bool { return b.Controller == nil })
}

func (s *State) ours(id validate.Identity, and func(*workload.Budget) bool) *record {
	s.mu.RLock()
	defer s.mu.RUnlock()
	in := s.spaces[id.Namespace]
	if in == nil {
		return nil
	}
	r := in.records[id]
	if r == nil || r.object.Budget == nil || !Ours(r.object.Budget) || !and(r.object.Budget) {
		return nil
	}
	found := *r // its version moves on
	return &found
}

// named returns the workload whose budget has the name of that one.
func (s *State) named(budget validate.Identity) (validate.Identity, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	in := s.spaces[budget.Namespace]
	if in == nil {
		return validate.Identity{}, false
	}
	for id, r := range in.records {
		if r.object.Workload != nil && Name(r.object.Ref) == budget.Name {
			return id, true
		}
	}
	return validate.Identity{}, false
}
