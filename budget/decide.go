package budget

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Standing says what a workload has for a disruption budget, and why.
type Standing string

// The standings of a workload.
const (
	// Made: Probity's budget covers it.
	Made Standing = "made"
	// Covered: a budget covers it that is somebody else's.
	Covered Standing = "covered"
	// Single: its floor is below two pods, of which none could be kept.
	Single Standing = "single"
	// Missing: it should have a budget, and Probity does not make any there.
	Missing Standing = "missing"
	// Shared: it shares pods with another workload.
	Shared Standing = "shared"
	// Partly: a budget selects some of its pods; a second one over those would
	// keep them from ever being evicted.
	Partly Standing = "partly-covered"
	// Taken: the name of its budget is that of another object.
	Taken Standing = "name-taken"
	// Uncounted: nobody can tell how many pods it should have, or which are its.
	Uncounted Standing = "uncounted"
	// Unclear: a label or annotation of Probity is not legal. All stays as it is.
	Unclear Standing = "unclear"
	// Refused: the API server would not have the budget.
	Refused Standing = "refused"
	// Ignored: it is not Probity's matter: its controller has the budget, it is on
	// its way out, it is exempt, or its namespace is off.
	Ignored Standing = "ignored"
)

// standings are all of them, in the order of their declaration.
func standings() []Standing {
	return []Standing{Made, Covered, Single, Missing, Shared, Partly, Taken, Uncounted, Unclear, Refused, Ignored}
}

// Status is what one workload has for a disruption budget.
type Status struct {
	Workload workload.Ref
	Standing Standing
	// Floor is how many pods it has at the least; 0 where nobody knows.
	Floor int32
	// Budgets are the names of those that select its pods, in order.
	Budgets []string
	// Detail completes "no budget is made: ", or says what is wrong with the one
	// there is; empty when there is nothing to say.
	Detail string
}

// surroundings are a workload and the objects that its budget depends on.
type surroundings struct {
	workload *workload.Workload
	// created is when the API server says that the workload was made.
	created time.Time
	scalers []*workload.Autoscaler
	// others are the budgets that are not ours and may select its pods.
	others []*workload.Budget
	// sharing are workloads that share pods with it, the first few of them.
	sharing []workload.Ref
	// owned is set when its controller is here and has the budget in its place.
	owned bool
	// named has the name of its budget: ours, or what took it.
	named *record
}

// maxSharing is how many workloads a message names.
const maxSharing = 3

// around gathers what matters to the budget of a workload; false when there is no
// such workload.
func (s *space) around(id validate.Identity) (surroundings, bool) {
	r := s.records[id]
	if r == nil || r.object.Workload == nil {
		return surroundings{}, false
	}
	a := surroundings{workload: r.object.Workload, created: time.Unix(r.created, 0)}
	if b := s.records[budgetIdentity(id.Namespace, Name(r.object.Ref))]; b != nil {
		named := *b // its version moves on
		a.named = &named
	}
	for _, scaler := range s.scalers[id] {
		a.scalers = append(a.scalers, scaler.object.Autoscaler)
	}
	if controller, ok := validate.ControllerOf(a.workload); ok {
		owner := s.records[controller]
		a.owned = owner != nil && owner.object.Workload != nil
	}
	s.budgets.candidates(a.workload.Pod.Labels, func(b *record) bool {
		if !Ours(b.object.Budget) && validate.Selects(b.object.Budget.Selector, a.workload) != validate.SelectsNone {
			a.others = append(a.others, b.object.Budget)
		}
		return true
	})
	s.sharing(r, func(other *record) bool {
		if s.together(r, other) || slices.Contains(a.sharing, other.object.Ref) {
			return true
		}
		a.sharing = append(a.sharing, other.object.Ref)
		return len(a.sharing) < maxSharing
	})
	slices.SortFunc(a.others, func(a, b *workload.Budget) int { return strings.Compare(a.Ref.Name, b.Ref.Name) })
	slices.SortFunc(a.sharing, func(a, b workload.Ref) int { return strings.Compare(a.String(), b.String()) })
	return a, true
}

// together reports whether one of two workloads controls the other: its pods are
// the other's.
func (s *space) together(a, b *record) bool {
	for _, pair := range [...][2]*record{{a, b}, {b, a}} {
		controller, ok := validate.ControllerOf(pair[0].object.Workload)
		if ok && controller == validate.IdentityOf(pair[1].object.Ref) {
			return true
		}
	}
	return false
}

func budgetIdentity(namespace, name string) validate.Identity {
	return validate.Identity{Group: "policy", Kind: budgetKind, Namespace: namespace, Name: name}
}

// mine returns our budget for the workload, nil when there is none.
func (a *surroundings) mine() *record {
	if a.named == nil || a.named.object.Budget == nil || !Ours(a.named.object.Budget) {
		return nil
	}
	return a.named
}

// decide says what the workload has, or should have, for a budget. Made means that
// Probity's is to be there, whether it is already or not; Unclear, that nothing is
// to be touched; all others, that none of Probity's is to be there.
func decide(a *surroundings, namespace validate.Settings, exempt *validate.Exemptions) Status {
	w := a.workload
	floor := validate.FloorOf(w, a.scalers)
	s := Status{Workload: w.Ref}
	if floor.Known {
		s.Floor = floor.Pods
	}
	settings, problem := namespace.ForWorkload(w)
	part := false
	for _, b := range a.others {
		s.Budgets = append(s.Budgets, b.Ref.Name)
		part = part || validate.Selects(b.Selector, w) == validate.SelectsSome
	}
	whole := len(a.others) > 0 && slices.ContainsFunc(a.others, func(b *workload.Budget) bool { return validate.Selects(b.Selector, w) == validate.SelectsAll })
	switch {
	case !budgeted(validate.IdentityOf(w.Ref)) || a.owned || w.Deleting || namespace.Mode == validate.ModeOff || exempted(w, exempt):
		s.Standing, s.Budgets = Ignored, nil
	case namespace.Problem != "":
		s.Standing, s.Detail = Unclear, "namespace "+w.Ref.Namespace+": "+namespace.Problem
	case problem != nil:
		s.Standing, s.Detail = Unclear, problem.Error()
	case whole:
		s.Standing = Covered
	case floor.Known && floor.Pods < 2:
		s.Standing, s.Detail = Single, "its floor is "+floorText(floor)+", and one pod cannot be kept through a drain"
	case !floor.Known || !floor.Scaled:
		s.Standing, s.Detail = Uncounted, "nothing says how many pods it should have"
	case w.Selector == nil || w.Selector.Empty():
		s.Standing, s.Detail = Uncounted, "it has no spec.selector that tells its pods from others"
	case len(a.sharing) > 0:
		s.Standing, s.Detail = Shared, sharedText(a.sharing)
	case !settings.Injection.Budget:
		s.Standing, s.Detail = Missing, "Probity makes none here"
	case part && a.mine() == nil:
		s.Standing, s.Detail = Partly, "PodDisruptionBudget "+s.Budgets[0]+" selects some of its pods, and the eviction of a pod with two budgets fails with an error"
	case a.named != nil && a.mine() == nil:
		s.Standing, s.Detail = Taken, "the name "+a.named.object.Ref.Name+" is that of another budget, which does not select its pods"
	default:
		s.Standing, s.Budgets = Made, append([]string{Name(w.Ref)}, s.Budgets...)
		if part {
			s.Detail = "PodDisruptionBudget " + s.Budgets[1] + " selects some of its pods too, which can now not be evicted. Let one budget select all of them"
		}
	}
	return s
}

// exempted reports whether a configuration lets nothing be given to a workload.
func exempted(w *workload.Workload, by *validate.Exemptions) bool {
	return validate.Judge{Exemptions: by}.Exempts(&workload.Object{Ref: w.Ref, Workload: w}).By != ""
}

func floorText(f validate.Floor) string {
	if f.By != "" {
		return fmt.Sprintf("%d (the minimum of %s)", f.Pods, f.By)
	}
	return fmt.Sprint(f.Pods)
}

func sharedText(with []workload.Ref) string {
	names := make([]string, len(with))
	for i, r := range with {
		names[i] = r.Kind + " " + r.Name
	}
	return "it shares pods with " + strings.Join(names, " and ") + ", as a selector of one fits the pods of the other. Give each labels of its own"
}
