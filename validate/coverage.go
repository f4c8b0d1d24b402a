package validate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/probity-dev/probity/workload"
)

// Coverage says which disruption budgets select the pods of a workload.
type Coverage struct {
	Object workload.Ref
	// Pods is how many there are at the least.
	Pods int32
	// Covered is set when a budget selects the pods, or may do so.
	Covered bool
	// Budgets are the names of the first few that do.
	Budgets []string
}

// Covered returns the workloads among the objects that a budget is for: those that
// scale, with two pods or more at the least. They are in order of namespace, kind
// and name.
func Covered(objects []*workload.Object) []Coverage {
	var all []Coverage
	for _, s := range gather(objects).sets {
		if s.counting != scaled || !s.known || s.pods < 2 {
			continue
		}
		c := Coverage{Object: s.ref, Pods: s.pods, Covered: s.covered}
		for _, b := range s.budgets {
			c.Budgets = append(c.Budgets, b.Ref.Name)
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Coverage) int {
		return cmp.Or(
			strings.Compare(a.Object.Namespace, b.Object.Namespace),
			strings.Compare(a.Object.Kind, b.Object.Kind),
			strings.Compare(a.Object.Name, b.Object.Name),
		)
	})
	return all
}
