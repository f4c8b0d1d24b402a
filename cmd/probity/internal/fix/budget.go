package fix

import (
	"encoding/json"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Budgets finds the workloads of a whole input that miss a disruption budget.
type Budgets struct {
	// Injection says whether budgets are made where a workload's annotation does
	// not say.
	Injection validate.Injection
	// MaxUnavailable and UnhealthyPodEvictionPolicy are those of the budgets.
	MaxUnavailable             workload.IntOrPercent
	UnhealthyPodEvictionPolicy string
	// Judge says what is exempt: from all, or from the rule budget-missing.
	Judge validate.Judge

	objects []*workload.Object
	whole   []*workload.Workload // as objects; nil for what is no workload
}

// Add takes an object of the input.
func (b *Budgets) Add(o *workload.Object) {
	kept := validate.ForBundle(o)
	if kept == nil {
		return
	}
	if kept.Workload != nil {
		// Where Probity is to make budgets, the rule does not miss them.
		delete(kept.Workload.Annotations, workload.AnnotationInject)
	}
	b.objects = append(b.objects, kept)
	b.whole = append(b.whole, o.Workload)
}

// Budget is a budget that is missing.
type Budget struct {
	For workload.Ref
	// Text is the manifest, a document of its own.
	Text string
}

// Missing returns the budgets that Probity would make: for workloads of two
// replicas or more that no budget covers, whose selector takes no pods of another
// workload, and that do not ask for none.
func (b *Budgets) Missing() ([]Budget, error) {
	act := validate.Warn
	policy, err := validate.NewPolicy(validate.Baseline, validate.Override{Rule: "budget-missing", Action: &act})
	if err != nil {
		return nil, err
	}
	var missing []Budget
	judge := b.Judge
	judge.Policy = policy
	found, _ := judge.Bundle(b.objects)
	for _, f := range found {
		w := b.whole[f.Index]
		if f.Exempted || f.Rule != "budget-missing" || w == nil || w.Selector == nil || w.Selector.Empty() || b.shared(f.Index) || !b.wanted(w) {
			continue
		}
		text, err := b.manifest(w)
		if err != nil {
			return nil, err
		}
		missing = append(missing, Budget{For: w.Ref, Text: text})
	}
	return missing, nil
}

// wanted reports whether the workload, or the configuration, lets budgets be made.
func (b *Budgets) wanted(w *workload.Workload) bool {
	s, err := validate.Settings{Injection: b.Injection}.ForWorkload(w)
	return err == nil && s.Injection.Budget
}

// shared reports whether the workload's selector takes pods of another one too.
func (b *Budgets) shared(index int) bool {
	w := b.whole[index]
	for i, other := range b.whole {
		if i != index && other != nil && other.Ref.Namespace == w.Ref.Namespace && w.Selector.Matches(other.Pod.Labels) {
			return true
		}
	}
	return false
}

// manifest writes a budget as kubectl would show it, without what Probity's own
// budgets carry: this one is the user's.
func (b *Budgets) manifest(w *workload.Workload) (string, error) {
	type metadata struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace,omitempty"`
	}
	type requirement struct {
		Key      string   `json:"key"`
		Operator string   `json:"operator"`
		Values   []string `json:"values,omitempty"`
	}
	type selector struct {
		MatchLabels      map[string]string `json:"matchLabels,omitempty"`
		MatchExpressions []requirement     `json:"matchExpressions,omitempty"`
	}
	var object struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Metadata   metadata `json:"metadata"`
		Spec       struct {
			MaxUnavailable any      `json:"maxUnavailable"`
			Unhealthy      string   `json:"unhealthyPodEvictionPolicy"`
			Selector       selector `json:"selector"`
		} `json:"spec"`
	}
	object.APIVersion, object.Kind = "policy/v1", "PodDisruptionBudget"
	object.Metadata = metadata{w.Ref.Name, w.Ref.Namespace}
	object.Spec.MaxUnavailable = b.MaxUnavailable.Value
	if b.MaxUnavailable.Percent {
		object.Spec.MaxUnavailable = b.MaxUnavailable.String()
	}
	object.Spec.Unhealthy = b.UnhealthyPodEvictionPolicy
	object.Spec.Selector.MatchLabels = w.Selector.MatchLabels
	for _, r := range w.Selector.MatchExpressions {
		object.Spec.Selector.MatchExpressions = append(object.Spec.Selector.MatchExpressions, requirement(r))
	}
	text, err := json.Marshal(object)
	if err != nil {
		return "", err
	}
	return blockYAML(text, 0)
}
