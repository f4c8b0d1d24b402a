package budget

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/probity-dev/probity/validate/config"
	"github.com/probity-dev/probity/workload"
)

// fieldManager is the name under which Probity owns the fields of its budgets.
const fieldManager = "probity-budgets"

// manifest is a PodDisruptionBudget with the fields that Probity owns, and no
// other: server-side apply takes what is here for what is owned.
type manifest struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Metadata   manifestMetadata `json:"metadata"`
	Spec       manifestSpec     `json:"spec"`
}

type manifestMetadata struct {
	Name            string            `json:"name"`
	Namespace       string            `json:"namespace,omitempty"`
	UID             types.UID         `json:"uid,omitempty"`
	ResourceVersion string            `json:"resourceVersion,omitempty"`
	Labels          map[string]string `json:"labels,omitempty"`
	OwnerReferences []manifestOwner   `json:"ownerReferences,omitempty"`
}

// manifestOwner makes the garbage collector take the budget away with its workload.
// It does not block the workload's deletion: the budget is nothing that a deletion
// has to wait for, and to block takes a permission on the workload.
type manifestOwner struct {
	APIVersion         string    `json:"apiVersion"`
	Kind               string    `json:"kind"`
	Name               string    `json:"name"`
	UID                types.UID `json:"uid"`
	Controller         bool      `json:"controller"`
	BlockOwnerDeletion bool      `json:"blockOwnerDeletion"`
}

type manifestSpec struct {
	MaxUnavailable             any              `json:"maxUnavailable"`
	UnhealthyPodEvictionPolicy string           `json:"unhealthyPodEvictionPolicy"`
	Selector                   manifestSelector `json:"selector"`
}

type manifestSelector struct {
	MatchLabels      map[string]string     `json:"matchLabels,omitempty"`
	MatchExpressions []manifestRequirement `json:"matchExpressions,omitempty"`
}

type manifestRequirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

// manifestOf writes the budget of a workload that Probity keeps.
func manifestOf(w *workload.Workload, uid types.UID, c config.Budget) manifest {
	m := unmarked(w, c)
	m.Metadata.Name, m.Metadata.Labels = Name(w.Ref), map[string]string{Label: LabelValue}
	m.Metadata.OwnerReferences = []manifestOwner{{APIVersion: w.Ref.APIVersion, Kind: w.Ref.Kind, Name: w.Ref.Name, UID: uid, Controller: true}}
	return m
}

// ForUser returns, in JSON, the budget that Probity would make for a workload as a
// manifest of the user's own: it has no label and no owner, so that Probity neither
// keeps nor withdraws it. Its name is another than that of Probity's budget, which
// makes way for it: Helm takes over no object that is there already.
func ForUser(w *workload.Workload, c config.Budget) ([]byte, error) { return unmarked(w, c).json() }

// unmarked is a budget without what tells that Probity made it.
func unmarked(w *workload.Workload, c config.Budget) manifest {
	m := manifest{APIVersion: "policy/v1", Kind: budgetKind}
	m.Metadata.Name, m.Metadata.Namespace = strings.TrimPrefix(Name(w.Ref), namePrefix), w.Ref.Namespace
	m.Spec = manifestSpec{MaxUnavailable: c.MaxUnavailable.Value, UnhealthyPodEvictionPolicy: c.UnhealthyPodEvictionPolicy}
	if c.MaxUnavailable.Percent {
		m.Spec.MaxUnavailable = c.MaxUnavailable.String()
	}
	m.Spec.Selector.MatchLabels = w.Selector.MatchLabels
	for _, r := range w.Selector.MatchExpressions {
		m.Spec.Selector.MatchExpressions = append(m.Spec.Selector.MatchExpressions, manifestRequirement(r))
	}
	return m
}

func (m manifest) json() ([]byte, error) {
	text, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("write PodDisruptionBudget %s/%s: %w", m.Metadata.Namespace, m.Metadata.Name, err)
	}
	return text, nil
}

// replacing is the merge patch that takes minAvailable away as it brings
// maxUnavailable. Server-side apply cannot: the field is another's.
func (m manifest) replacing() ([]byte, error) {
	type spec struct {
		manifestSpec
		MinAvailable *int `json:"minAvailable"` // null
	}
	text, err := json.Marshal(struct {
		Metadata manifestMetadata `json:"metadata"`
		Spec     spec             `json:"spec"`
	}{m.Metadata, spec{manifestSpec: m.Spec}})
	if err != nil {
		return nil, fmt.Errorf("write PodDisruptionBudget %s/%s: %w", m.Metadata.Namespace, m.Metadata.Name, err)
	}
	return text, nil
}

// difference names the first field of our budget that is not as it should be; ""
// when all are.
func difference(b *record, w *workload.Workload, uid types.UID, c config.Budget) string {
	is := b.object.Budget
	switch {
	case b.owner != uid:
		return "metadata.ownerReferences"
	case is.MinAvailable != nil:
		return "spec.minAvailable"
	case is.MaxUnavailable == nil || is.MaxUnavailable.String() != c.MaxUnavailable.String():
		return "spec.maxUnavailable"
	case is.UnhealthyPodEvictionPolicy != c.UnhealthyPodEvictionPolicy:
		return "spec.unhealthyPodEvictionPolicy"
	case !sameSelector(is.Selector, w.Selector):
		return "spec.selector"
	default:
		return ""
	}
}

func sameSelector(a, b *workload.Selector) bool {
	return a != nil && b != nil && maps.Equal(a.MatchLabels, b.MatchLabels) &&
		slices.EqualFunc(a.MatchExpressions, b.MatchExpressions, func(x, y workload.Requirement) bool {
			return x.Key == y.Key && x.Operator == y.Operator && slices.Equal(x.Values, y.Values)
		})
}
