package fix

import (
	"github.com/probity-dev/probity/budget"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
	"github.com/probity-dev/probity/workload"
)

// Budgets finds the workloads of a whole input that miss a disruption budget.
type Budgets struct {
	// Injection says whether budgets are made where a workload's annotation does
	// not say.
	Injection validate.Injection
	// Config says how budgets look.
	Config config.Budget
	// Judge says what is exempt: from all, or from the rule budget-missing.
	Judge validate.Judge

	// slim are the objects as far as the rule reads them, and whole are the same ones.
	slim, whole []*workload.Object
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
	b.slim = append(b.slim, kept)
	b.whole = append(b.whole, o)
}

// Budget is a budget that is missing.
type Budget struct {
	For workload.Ref
	// Text is the manifest, a document of its own.
	Text string
}

// Missing returns the budgets that the rule budget-missing misses and Probity would
// make.
func (b *Budgets) Missing() ([]Budget, error) {
	lacking, err := b.lacking()
	if err != nil {
		return nil, err
	}
	made := b.made(lacking)
	var missing []Budget
	for _, index := range lacking {
		w := b.whole[index].Workload
		if !made[w.Ref] {
			continue
		}
		text, err := budget.ForUser(w, b.Config)
		if err != nil {
			return nil, err
		}
		manifest, err := blockYAML(text, 0)
		if err != nil {
			return nil, err
		}
		missing = append(missing, Budget{For: w.Ref, Text: manifest})
	}
	return missing, nil
}

// lacking returns the indexes of the workloads that the rule reports. It knows what
// files have and a cluster has not: one object in several variants.
func (b *Budgets) lacking() ([]int, error) {
	act := validate.Warn
	policy, err := validate.NewPolicy(validate.Baseline, validate.Override{Rule: "budget-missing", Action: &act})
	if err != nil {
		return nil, err
	}
	judge := b.Judge
	judge.Policy = policy
	found, _ := judge.Bundle(b.slim)
	var indexes []int
	for _, f := range found {
		if f.Rule == "budget-missing" && !f.Exempted && b.whole[f.Index].Workload != nil {
			indexes = append(indexes, f.Index)
		}
	}
	return indexes, nil
}

// made returns the workloads that Probity would make a budget for. Of one that lacks
// it the reported variant counts.
func (b *Budgets) made(lacking []int) map[workload.Ref]bool {
	reported := map[validate.Identity]int{}
	for _, index := range lacking {
		reported[validate.IdentityOf(b.whole[index].Ref)] = index
	}
	var objects []*workload.Object
	for i, o := range b.whole {
		if index, ok := reported[validate.IdentityOf(o.Ref)]; !ok || index == i {
			objects = append(objects, o)
		}
	}
	settings := func(string) validate.Settings {
		return validate.Settings{Mode: validate.ModeEnforce, Injection: b.Injection}
	}
	made := map[workload.Ref]bool{}
	for _, s := range budget.Survey(objects, settings, b.Judge.Exemptions) {
		made[s.Workload] = s.Standing == budget.Made
	}
	return made
}
