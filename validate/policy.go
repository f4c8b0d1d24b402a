package validate

import (
	"fmt"
	"slices"

	"github.com/probity-dev/probity/workload"
)

// Policy is a profile with a configuration's changes applied: what Evaluate
// judges by. It is immutable; make one per profile and keep it.
type Policy struct {
	profile   Profile
	settings  []setting // as in rules
	injection Injection
	knowledge Knowledge
	// admission is set for a policy of AtAdmission.
	admission bool
}

// setting is one rule as the policy has it.
type setting struct {
	rule   *Rule
	action Action
	likely Action
	params []any // as in rule.Params
}

// Override changes one rule of a profile.
type Override struct {
	Rule string
	// Action replaces the profile's action, when set. Findings that are only
	// likely take the milder of it and what the profile says of them.
	Action *Action
	// Likely replaces the profile's action on findings that are only likely.
	Likely *Action
	// Params sets parameters by name.
	Params map[string]any
}

// Injection says what Probity adds by itself: rules that ask people for the
// same are silent.
type Injection struct{ Startup, Budget bool }

// NewPolicy returns a profile with overrides. It fails on an unknown rule or
// parameter and on a value of the wrong type, and says what is legal.
func NewPolicy(profile Profile, overrides ...Override) (*Policy, error) {
	p := &Policy{profile: profile, settings: make([]setting, len(rules))}
	for i, r := range rules {
		p.settings[i] = setting{rule: r, action: r.Action.In(profile), likely: r.Likely.In(profile), params: make([]any, len(r.Params))}
		for j, param := range r.Params {
			p.settings[i].params[j] = param.In(profile)
		}
	}
	for _, o := range overrides {
		if err := p.override(o); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// MustPolicy is NewPolicy without overrides, which cannot fail.
func MustPolicy(profile Profile) *Policy {
	p, err := NewPolicy(profile)
	if err != nil {
		panic(err) // unreachable: only overrides fail
	}
	return p
}

func (p *Policy) override(o Override) error {
	i := slices.IndexFunc(rules, func(r *Rule) bool { return r.ID == o.Rule })
	if i < 0 {
		return fmt.Errorf("rule %q does not exist: `probity explain` lists all", o.Rule)
	}
	s := &p.settings[i]
	if o.Action != nil {
		s.action = *o.Action
		s.likely = min(s.likely, *o.Action)
	}
	if o.Likely != nil {
		s.likely = *o.Likely
	}
	for name, value := range o.Params {
		j := slices.IndexFunc(s.rule.Params, func(p Param) bool { return p.Name == name })
		if j < 0 {
			return fmt.Errorf("rule %s has no parameter %q: it has %s", o.Rule, name, s.rule.paramNames())
		}
		if err := s.rule.Params[j].checkType(value); err != nil {
			return fmt.Errorf("rule %s: %w", o.Rule, err)
		}
		s.params[j] = value
	}
	return nil
}

func (r *Rule) paramNames() string {
	if len(r.Params) == 0 {
		return "none"
	}
	names := ""
	for i, p := range r.Params {
		if i > 0 {
			names += ", "
		}
		names += p.Name
	}
	return names
}

// WithInjection returns the policy for where Probity injects what i says.
func (p *Policy) WithInjection(i Injection) *Policy {
	q := *p
	q.injection = i
	return &q
}

// WithKnowledge returns the policy with what a configuration knows of probes
// beyond the built-in tables.
func (p *Policy) WithKnowledge(k Knowledge) *Policy {
	q := *p
	q.knowledge = k
	return &q
}

// Knowledge returns what the policy knows of probes.
func (p *Policy) Knowledge() Knowledge { return p.knowledge }

// Profile returns the profile that the policy started from.
func (p *Policy) Profile() Profile { return p.profile }

// Injection returns what Probity adds by itself under this policy.
func (p *Policy) Injection() Injection { return p.injection }

// ActionOf returns what the policy does on a proven finding of a rule; Off for
// a rule that does not exist.
func (p *Policy) ActionOf(rule string) Action {
	for _, s := range p.settings {
		if s.rule.ID == rule {
			return s.action
		}
	}
	return Off
}

// RefusedLiveness returns the containers whose liveness probe has a finding that
// denies: it is no model for a startup probe. An exemption does not make it one:
// it lets through what its author wrote, and a startup probe that asks the same
// would hold readiness off, too, while another host is away.
func RefusedLiveness(findings []Finding) map[string]bool {
	refused := map[string]bool{}
	for i := range findings {
		if f := &findings[i]; f.Unexempted() == Deny && f.Probe == workload.Liveness.String() {
			refused[f.Container] = true
		}
	}
	return refused
}
