package validate

import "github.com/probity-dev/probity/workload"

// What rules know of the pods of one workload, for a caller that finds for itself
// which objects concern it.

// Identity names an object whatever the version of its API.
type Identity struct{ Group, Kind, Namespace, Name string }

// IdentityOf returns the identity of a named object.
func IdentityOf(r workload.Ref) Identity { return identity(keyOf(r)) }

// ControllerOf returns the identity of the workload's controller; false when it
// has none.
func ControllerOf(w *workload.Workload) (Identity, bool) {
	if w.Controller == nil {
		return Identity{}, false
	}
	return identity(ownerKey(w)), true
}

// TargetOf returns the identity of what the autoscaler scales.
func TargetOf(a *workload.Autoscaler) Identity { return identity(targetKey(a)) }

func identity(k podSetKey) Identity { return Identity{k.group, k.kind, k.namespace, k.name} }

// Floor is how many pods a workload has at the least.
type Floor struct {
	// Pods is that number, where Known.
	Pods  int32
	Known bool
	// By names the autoscaler that sets it, "" when none does.
	By string
	// Scaled is set when the disruption controller finds out how many pods there
	// should be, as shares and maxUnavailable need.
	Scaled bool
}

// FloorOf returns the floor of a workload; scalers are those that have it for
// their target.
func FloorOf(w *workload.Workload, scalers []*workload.Autoscaler) Floor {
	s := podSet{ref: w.Ref, variants: []*workload.Workload{w}}
	s.countPods(keyOf(w.Ref), scalers)
	return Floor{Pods: s.pods, Known: s.known, By: s.floorBy, Scaled: s.counting == scaled}
}

// Selection is how much of a workload's pods a budget selects.
type Selection uint8

const (
	// SelectsNone is no pod of the template.
	SelectsNone Selection = iota
	// SelectsSome is for a selector that asks for a label whose value a controller makes up, such as
	// the name of a StatefulSet's pod: it may select some of them.
	SelectsSome
	// SelectsAll is for a selector that the labels of the template satisfy.
	SelectsAll
)

// Selects returns how much of the workload's pods a selector selects.
func Selects(selector *workload.Selector, w *workload.Workload) Selection {
	part, exact := knownPart(selector)
	switch {
	case !part.Matches(podLabels(w)):
		return SelectsNone
	case exact:
		return SelectsAll
	default:
		return SelectsSome
	}
}

// MadeUp reports whether a controller or the API server makes up the value of a
// pod's label, so that no template tells it.
func MadeUp(label string) bool { return madeUp(label) }
