package validate

import (
	"slices"
	"strings"

	"github.com/probity-dev/probity/workload"
)

// Change is one object of a namespace at its admission: a disruption budget, a
// workload, or an autoscaler.
//
// A fault that was there before only warns. So does one that an object to come may
// mend, as objects come in any order: an autoscaler for a workload that is made
// with one replica, and the end of a budget that the same tool replaces.
type Change struct {
	// New is the object as it will be.
	New *workload.Object
	// Old is the object as it is; nil when it is made.
	Old *workload.Object
	// Neighbours are the objects of the namespace as far as they are known. Any
	// version of New among them is passed over, and so are Probity's own budgets,
	// which make way.
	Neighbours []*workload.Object
}

// faults are what is wrong with the changed object among its neighbours.
func (c Change) faults(p *Policy) []judged {
	meeting := c.Meeting()
	if len(meeting) == 0 && c.New.Budget == nil {
		return nil
	}
	p = p.AtAdmission()
	now := c.concerning(judgeBundle(append(meeting, c.New), p))
	if len(now) > 0 {
		before := meeting
		if c.Old != nil {
			before = append(before, c.Old)
		}
		c.forgive(now, judgeBundle(before, p))
	}
	for i := range now {
		if now[i].Action == Deny && c.mayBeMended(now[i]) {
			now[i].Action = now[i].likely
		}
	}
	return slices.DeleteFunc(now, func(j judged) bool { return j.Action == Off })
}

// concerning returns what is about the changed object. Of two budgets that share its
// pods one finding names the other.
func (c Change) concerning(all []judged) []judged {
	shared := false
	return slices.DeleteFunc(all, func(j judged) bool {
		switch {
		case j.budget == nil:
			return true
		case c.New.Budget != nil:
			return j.Object != c.New.Ref
		case !slices.ContainsFunc(j.sets, func(s *podSet) bool { return c.counts(keyOf(s.ref)) }):
			return true
		case c.New.Autoscaler != nil:
			return j.Rule != "budget-blocks-drain" // it changes how many pods there are, and nothing else
		case len(j.others) > 0:
			again := shared
			shared = true
			return again
		default:
			return false
		}
	})
}

// counts reports whether the change is one of those pods or of how many they are.
func (c Change) counts(key podSetKey) bool {
	for _, o := range [...]*workload.Object{c.New, c.Old} {
		switch {
		case o == nil:
		case o.Workload != nil && key == keyOf(o.Workload.Ref), o.Autoscaler != nil && key == targetKey(o.Autoscaler):
			return true
		}
	}
	return false
}

// forgive turns refusals for what was wrong before into warnings, and notes all that
// was: the same rule was broken by the same budget for the same pods. A budget over
// several workloads is one fault, however many they are.
func (c Change) forgive(now, before []judged) {
	for i := range now {
		if slices.ContainsFunc(before, func(b judged) bool { return c.same(now[i], b) }) {
			now[i].old, now[i].Action = true, min(now[i].Action, Warn)
		}
	}
}

func (c Change) same(j, before judged) bool {
	if before.budget == nil || j.Rule != before.Rule || j.Object.Name != before.Object.Name || (len(j.others) > 0) != (len(before.others) > 0) {
		return false
	}
	if j.Rule == "budget-overlap" && len(j.others) == 0 {
		return true
	}
	return !slices.ContainsFunc(j.sets, func(s *podSet) bool {
		key := keyOf(s.ref)
		return (c.New.Budget != nil || c.counts(key)) && !slices.ContainsFunc(before.sets, func(old *podSet) bool { return keyOf(old.ref) == key })
	})
}

// mayBeMended reports whether the next object to come may be what is missing.
func (c Change) mayBeMended(j judged) bool {
	switch {
	case len(j.others) > 0:
		// Tools make what is new before they take away what is gone.
		return !slices.ContainsFunc(j.others, func(other *budget) bool { return !sameTool(j.budget.Budget, other.Budget) })
	case j.Rule == "budget-blocks-drain" && c.Old == nil && c.New.Workload != nil && !j.budget.never():
		// The API server writes one replica where the manifest has none, as it
		// should where an autoscaler follows.
		return slices.ContainsFunc(j.sets, func(s *podSet) bool {
			return keyOf(s.ref) == keyOf(c.New.Workload.Ref) && s.counting == scaled && s.pods == 1 && s.floorBy == ""
		})
	default:
		return false
	}
}

// sameTool reports whether one run of a tool makes both budgets: they bear the mark
// of one Helm release, one Argo CD application, one Flux object or one ApplySet.
func sameTool(a, b *workload.Budget) bool {
	for _, key := range [...]string{"kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name", "applyset.kubernetes.io/part-of"} {
		if v := a.Labels[key]; v != "" && v == b.Labels[key] {
			return true
		}
	}
	const helm, argo = "meta.helm.sh/release-name", "argocd.argoproj.io/tracking-id"
	if v := a.Annotations[helm]; v != "" && v == b.Annotations[helm] {
		return true
	}
	// APPLICATION:GROUP/KIND:NAMESPACE/NAME
	app, _, ok := strings.Cut(a.Annotations[argo], ":")
	other, _, _ := strings.Cut(b.Annotations[argo], ":")
	return ok && app == other
}

// tell makes the finding one about the changed object.
func (c Change) tell(j judged) Finding {
	f := j.Finding
	switch {
	case c.New.Budget != nil:
		if len(j.others) > 0 {
			f.Fix = "Keep one budget for them; to replace one, delete it first."
		}
		return f
	case c.New.Autoscaler != nil && c.New.Ref.Kind == "ScaledObject":
		f.Path = "spec.minReplicaCount"
	case c.New.Autoscaler != nil:
		f.Path = "spec.minReplicas"
	case j.Rule == "budget-blocks-drain" && c.New.Workload.Replicas != nil:
		f.Path = "spec.replicas"
	default:
		f.Path = strings.TrimSuffix(c.New.Workload.Pod.Path, ".spec") + ".metadata.labels"
	}
	f.Message = "PodDisruptionBudget " + quote(j.Object.Name) + ": " + f.Message
	f.Object = c.New.Ref
	return f
}
