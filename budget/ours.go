package budget

import "github.com/probity-dev/probity/workload"

// Label marks what Probity made; who takes it away has made the object theirs.
const (
	Label      = "app.kubernetes.io/managed-by"
	LabelValue = "probity"
)

// budgetKind is the kind of a disruption budget.
const budgetKind = "PodDisruptionBudget"

// namePrefix is that of the budgets' names.
const namePrefix = "probity-"

// Ours reports whether Probity made a budget and nobody has made it theirs. A
// copy under another name is the user's, whatever labels it was copied with.
func Ours(b *workload.Budget) bool {
	if b.Labels[Label] != LabelValue {
		return false
	}
	if b.Controller == nil {
		return len(b.Ref.Name) > len(namePrefix) && b.Ref.Name[:len(namePrefix)] == namePrefix
	}
	return b.Ref.Name == Name(workload.Ref{APIVersion: b.Controller.APIVersion, Kind: b.Controller.Kind, Name: b.Controller.Name})
}
