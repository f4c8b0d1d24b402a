// Package validate judges workloads: one file a rule, one evaluation for the
// webhook, the command line and the audit. It is pure: no client, no clock.
package validate

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Rule is a named check. Its documentation is part of it: `probity explain`,
// docs/rules and the messages print these fields.
type Rule struct {
	// ID is kebab-case, final, and never used again.
	ID string
	// Title says in one line what must hold.
	Title string
	// Category groups rules in docs and reports.
	Category Category
	// Why says what goes wrong when the rule is broken, in Markdown.
	Why string
	// Fix says how to mend it, in Markdown.
	Fix string
	// Since is the first release with the rule, "0.1.0".
	Since string
	// Sources are URLs where the facts behind the rule can be read.
	Sources []string
	// Params are what a configuration can set.
	Params []Param

	// Action is what the profiles do on a proven finding.
	Action ByProfile
	// Likely is what they do on a finding whose evidence is strong but no
	// proof. The zero value is for rules that only report what is proven.
	Likely ByProfile
	// Fallback rules run last, and only on probes whose check no other rule of
	// the failure domain has named: they would repeat the more exact finding.
	Fallback bool

	// Check reports what breaks the rule in a workload by itself.
	Check func(*Pass)
	// CheckBundle, in place of Check, reports what breaks it in the objects of a
	// namespace together.
	CheckBundle func(*BundlePass)
	// AnyOrder is set for a rule that misses an object which may be the next to
	// come. Admission does not run it (Policy.AtAdmission), and it never denies.
	AnyOrder bool
}

// Category groups rules.
type Category string

// The categories, in the order of the documentation.
const (
	FailureDomain Category = "Failure domain"
	Timing        Category = "Timing"
	Wiring        Category = "Wiring"
	Presence      Category = "Presence"
	Disruption    Category = "Disruption"
)

// Categories are all categories, in order.
var Categories = [...]Category{FailureDomain, Timing, Wiring, Presence, Disruption}

// Action is what a finding does to an object.
type Action uint8

// The actions, from the mildest.
const (
	Off Action = iota
	Warn
	Deny
)

// String returns "off", "warn" or "deny".
func (a Action) String() string { return [...]string{"off", "warn", "deny"}[a] }

// MarshalText gives the action's name.
func (a Action) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads an action's name.
func (a *Action) UnmarshalText(text []byte) error {
	parsed, err := ParseAction(string(text))
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}

// ParseAction reads "off", "warn" or "deny".
func ParseAction(s string) (Action, error) {
	for a := Off; a <= Deny; a++ {
		if s == a.String() {
			return a, nil
		}
	}
	return Off, fmt.Errorf("action %q is not legal: must be deny, warn or off", s)
}

// Profile is a set of actions and parameters.
type Profile uint8

// The profiles.
const (
	// Baseline is what no experienced engineer would dispute; the default.
	Baseline Profile = iota
	// Strict is for teams that want every finding acted on.
	Strict
)

// Profiles are all profiles.
var Profiles = [...]Profile{Baseline, Strict}

// String returns "baseline" or "strict".
func (p Profile) String() string { return [...]string{"baseline", "strict"}[p] }

// ParseProfile reads "baseline" or "strict".
func ParseProfile(s string) (Profile, error) {
	for _, p := range Profiles {
		if s == p.String() {
			return p, nil
		}
	}
	return Baseline, fmt.Errorf("profile %q is not legal: must be baseline or strict", s)
}

// ByProfile is an action for each profile.
type ByProfile struct{ Baseline, Strict Action }

// In returns the action of a profile.
func (b ByProfile) In(p Profile) Action {
	if p == Strict {
		return b.Strict
	}
	return b.Baseline
}

// Param is one value that a configuration can set. Baseline and Strict are its
// defaults and have one type: bool, int or time.Duration.
type Param struct {
	Name     string
	Doc      string
	Baseline any
	Strict   any
}

// In returns the default of a profile.
func (p Param) In(profile Profile) any {
	if profile == Strict {
		return p.Strict
	}
	return p.Baseline
}

// rules holds what the init functions of the rule files register; nothing
// writes to it afterwards.
var rules []*Rule

func register(r Rule) {
	rules = append(rules, &r)
	slices.SortFunc(rules, compareRules)
}

// compareRules gives the order of the documentation: by category, then by id.
func compareRules(a, b *Rule) int {
	if a.Category != b.Category {
		return slices.Index(Categories[:], a.Category) - slices.Index(Categories[:], b.Category)
	}
	return strings.Compare(a.ID, b.ID)
}

// Rules returns all rules, in the order of the documentation.
func Rules() []*Rule { return slices.Clone(rules) }

// FindRule returns the rule of that id.
func FindRule(id string) (*Rule, bool) {
	for _, r := range rules {
		if r.ID == id {
			return r, true
		}
	}
	return nil, false
}

// checkType reports whether a value has the type of the parameter.
func (p Param) checkType(v any) error {
	switch p.Baseline.(type) {
	case bool:
		if _, ok := v.(bool); !ok {
			return fmt.Errorf("%s must be true or false, is %v", p.Name, v)
		}
	case int:
		if n, ok := v.(int); !ok || n < 0 {
			return fmt.Errorf("%s must be a whole number of 0 or more, is %v", p.Name, v)
		}
	case time.Duration:
		if d, ok := v.(time.Duration); !ok || d < 0 {
			return fmt.Errorf("%s must be a duration such as 30s or 5m, is %v", p.Name, v)
		}
	}
	return nil
}
