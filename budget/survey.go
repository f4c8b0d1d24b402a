package budget

import (
	"slices"
	"strings"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Survey says which workloads have what for a budget, from the objects of a cluster or
// of manifests: Deployments, StatefulSets, custom kinds, budgets and autoscalers, whole
// ones as package workload decodes them, each of them once. Settings are those of a
// namespace, exempt are the configuration's exemptions. It is what the controller
// decides by, for those who look from outside. Workloads that are not Probity's matter
// are left out; the others are in the order of their namespace, kind and name.
func Survey(objects []*workload.Object, settings func(namespace string) validate.Settings, exempt *validate.Exemptions) []Status {
	spaces := map[string]*space{}
	for _, o := range objects {
		if o == nil || o.Workload != nil && !budgeted(validate.IdentityOf(o.Ref)) {
			continue
		}
		in := spaces[o.Ref.Namespace]
		if in == nil {
			in = newSpace(madeBy())
			spaces[o.Ref.Namespace] = in
		}
		in.put(&record{object: o})
	}
	var all []Status
	for namespace, in := range spaces {
		holds := settings(namespace)
		for id := range in.records {
			a, ok := in.around(id)
			if !ok {
				continue
			}
			if status := decide(&a, holds, exempt); status.Standing != Ignored {
				all = append(all, status)
			}
		}
	}
	slices.SortFunc(all, compareStatus)
	return all
}

func compareStatus(a, b Status) int {
	if a.Workload.Namespace != b.Workload.Namespace {
		return strings.Compare(a.Workload.Namespace, b.Workload.Namespace)
	}
	return strings.Compare(a.Workload.String(), b.Workload.String())
}
