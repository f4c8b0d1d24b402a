package validate

import (
	"strings"

	"github.com/probity-dev/probity/workload"
)

// Bundle collects the objects of an input of any size and judges at its end what
// they make together. Of a workload it keeps no more than a few dozen bytes: its
// name, its replicas and the labels of its pods, which a budget that is yet to come
// may select. It is not safe for concurrent use.
type Bundle struct {
	judge  Judge
	policy *Policy
	packed packed
	// exempting has those of the objects that something exempts; few do.
	exempting map[int]*exempting
}

// NewBundle returns a bundle that is judged by j.
func NewBundle(j Judge) *Bundle {
	return &Bundle{judge: j.aboutBundles(), policy: j.Policy, exempting: map[int]*exempting{}}
}

// Add takes an object and returns its index, which findings carry; false for one
// that is judged by itself alone.
func (b *Bundle) Add(o *workload.Object) (index int, kept bool) {
	slim := ForBundle(o)
	if slim == nil || stoodFor(slim.Workload) {
		return 0, false
	}
	index = b.packed.add(slim)
	if x := b.judge.exempting(o); x != nil {
		b.exempting[index] = x
	}
	return index, true
}

// stoodFor reports whether a workload is never judged with others, as its
// controller is judged in its place wherever that stands.
func stoodFor(w *workload.Workload) bool {
	return w != nil && w.Controller != nil && standsFor(ownerKey(w), nil)
}

// Findings returns what EvaluateBundle returns for all objects in the order in
// which they were added, with exemptions applied, and what is to be said of those.
// Only objects that a budget selects, or that lack one, are unpacked for it. Of a
// workload's annotations that are not legal, Judge.Workload tells.
func (b *Bundle) Findings() ([]BundleFinding, []BundleNotice) {
	objects, indexes := b.relevant()
	return b.judge.together(objects, b.exempting, func(i int) int { return indexes[i] })
}

// Reports reports whether findings may come of the object at the end of the input,
// when all of it is known.
func (b *Bundle) Reports(o *workload.Object) bool {
	for i := range b.policy.settings {
		s := &b.policy.settings[i]
		if s.rule.CheckBundle == nil || s.action == Off && s.likely == Off {
			continue
		}
		// One rule is about workloads, and all others are about budgets.
		if o.Budget != nil || o.Workload != nil && s.rule.ID == budgetMissing {
			return true
		}
	}
	return false
}

// ForBundle returns as much of an object as rules about bundles read, or nil for
// one that they do not look at.
func ForBundle(o *workload.Object) *workload.Object {
	switch {
	case o == nil:
		return nil
	case tooLargeForBundle(o):
		return &workload.Object{Ref: o.Ref}
	case o.Workload != nil:
		w := o.Workload
		return &workload.Object{Ref: o.Ref, Workload: &workload.Workload{
			Ref: w.Ref, Labels: w.Labels, Annotations: readAnnotations(w.Annotations), Controller: w.Controller, Deleting: w.Deleting, Replicas: w.Replicas,
			Pod: workload.Pod{
				Path: w.Pod.Path, Labels: w.Pod.Labels, RestartPolicy: w.Pod.RestartPolicy, RuntimeClassName: w.Pod.RuntimeClassName,
			},
		}}
	case o.Budget != nil || o.Autoscaler != nil:
		return o
	case isCustom(o.Ref):
		return &workload.Object{Ref: o.Ref}
	default:
		return nil
	}
}

// readAnnotations returns those annotations that any rule reads.
func readAnnotations(all workload.Annotations) workload.Annotations {
	var read workload.Annotations
	for key, value := range all {
		if !isRead(key) {
			continue
		}
		if read == nil {
			read = workload.Annotations{}
		}
		read[key] = value
	}
	return read
}

// isRead tells whether any rule reads an annotation.
func isRead(key string) bool { return key == helmHook || strings.HasPrefix(key, "probity.dev/") }
