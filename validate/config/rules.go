package config

import (
	"fmt"
	"slices"
	"time"

	"github.com/probity-dev/probity/validate"
)

func (c *Config) rules() value {
	o := object{noun: "rule", lists: listsRules}
	for _, r := range validate.Rules() {
		o.fields = append(o.fields, field{
			name: r.ID, value: c.rule(r),
			doc: fmt.Sprintf("%s. Baseline: %s. Strict: %s.", r.Title, r.Does(validate.Baseline), r.Does(validate.Strict)),
		})
	}
	return o
}

// rule is what can be set of one rule.
func (c *Config) rule(r *validate.Rule) value {
	o := validate.Override{Rule: r.ID}
	fields := []field{{
		name: "action", value: action(&o.Action, r),
		doc: "What a finding does, in both profiles. One that is only likely does no more than the profile says.",
	}}
	if r.Likely != (validate.ByProfile{}) {
		fields = append(fields, field{
			name: "likely", value: action(&o.Likely, r),
			doc: "What a finding does whose evidence is strong but no proof.",
		})
	}
	if len(r.Params) > 0 {
		o.Params = map[string]any{}
		fields = append(fields, field{name: "parameters", doc: "The rule's numbers, in both profiles.", value: parameters(r, o.Params)})
	}
	return object{fields: fields, after: func(p *placed) {
		checkLikely(p, r, &o)
		checkLimits(p, r, &o)
		c.Rules = append(c.Rules, o)
	}}
}

// action has no deny for a rule that must not: what it misses may come next.
func action(target **validate.Action, r *validate.Rule) value {
	names := []string{"deny", "warn", "off"}
	if r.AnyOrder {
		names = names[1:]
	}
	parse := func(t string) (validate.Action, error) {
		a, err := validate.ParseAction(t)
		if err == nil && !slices.Contains(names, t) {
			err = fmt.Errorf("rule %s cannot deny", r.ID)
		}
		return a, err
	}
	return enum(said(target), parse, names...)
}

func parameters(r *validate.Rule, set map[string]any) value {
	o := object{noun: "parameter"}
	for _, p := range r.Params {
		o.fields = append(o.fields, field{
			name: p.Name, value: parameter(p, set),
			doc: fmt.Sprintf("%s Baseline: %s. Strict: %s.", p.Doc, p.Format(validate.Baseline), p.Format(validate.Strict)),
		})
	}
	return o
}

func parameter(p validate.Param, set map[string]any) value {
	switch p.Baseline.(type) {
	case bool:
		return boolean(func(v bool) { set[p.Name] = v })
	case int:
		return count(func(v int) { set[p.Name] = v }, 0)
	case time.Duration:
		return duration(func(v time.Duration) { set[p.Name] = v })
	default:
		panic("parameter " + p.Name + " is of no type that a configuration can write") // unreachable: a test of validate
	}
}

// checkLikely refuses what is harder on a guess than on a proof.
func checkLikely(p *placed, r *validate.Rule, o *validate.Override) {
	if o.Likely == nil {
		return
	}
	for _, profile := range validate.Profiles {
		proven := r.Action.In(profile)
		if o.Action != nil {
			proven = *o.Action
		}
		if *o.Likely > proven {
			p.problem("likely", "must not be harder than action; it is %s, and action is %s in %s", *o.Likely, proven, profile)
			return
		}
	}
}

// checkLimits refuses a shortest that is over the longest: nothing would be
// legal.
func checkLimits(p *placed, r *validate.Rule, o *validate.Override) {
	for _, profile := range validate.Profiles {
		least, hasMin := effective[time.Duration](r, o, "min", profile)
		most, hasMax := effective[time.Duration](r, o, "max", profile)
		if hasMin && hasMax && least > most {
			p.problem("parameters", "must have min up to max; min is %s and max is %s in %s", seconds(least), seconds(most), profile)
			return
		}
	}
}

// effective returns what a parameter comes to in a profile.
func effective[T any](r *validate.Rule, o *validate.Override, name string, profile validate.Profile) (T, bool) {
	for _, p := range r.Params {
		if p.Name != name {
			continue
		}
		v := p.In(profile)
		if set, ok := o.Params[name]; ok {
			v = set
		}
		t, ok := v.(T)
		return t, ok
	}
	var none T
	return none, false
}

// checkStartupBudget keeps Probity to its own rule.
func (c *Config) checkStartupBudget(p *placed) {
	r, ok := validate.FindRule("startup-budget")
	if !ok || p.values["startupProbes"] == nil {
		return
	}
	o := validate.Override{}
	for _, set := range c.Rules {
		if set.Rule == r.ID {
			o = set
		}
	}
	if c.StartupBudget == 0 || o.Action != nil && *o.Action == validate.Off {
		return
	}
	for _, profile := range validate.Profiles {
		least, _ := effective[time.Duration](r, &o, "min", profile)
		most, _ := effective[time.Duration](r, &o, "max", profile)
		if c.StartupBudget < least || c.StartupBudget > most {
			p.problem("startupProbes", "must have a budget from %s to %s, as the rule %s has it in %s; it is %s",
				seconds(least), seconds(most), r.ID, profile, seconds(c.StartupBudget))
			return
		}
	}
}

// seconds writes a duration as the file has it.
func seconds(d time.Duration) string { return validate.Param{Baseline: d}.Format(validate.Baseline) }
