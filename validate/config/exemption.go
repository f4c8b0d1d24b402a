package config

import (
	"strings"
	"time"

	"github.com/probity-dev/probity/validate"
)

// Exemptions are what is let through.
type Exemptions struct {
	ByAnnotation ByAnnotation
	// Namespaces, RuntimeClasses, Users and Groups are neither judged nor
	// given anything.
	Namespaces, RuntimeClasses []Glob
	Users, Groups              []Glob
	// Workloads is for what one cannot annotate.
	Workloads []Exemption
}

// ByAnnotation says how a workload may exempt itself.
type ByAnnotation struct {
	// Rules may be exempted from by annotation; none when that is not allowed.
	Rules []string
	// RequireUntil is set when such an exemption must have an end.
	RequireUntil bool
	// RequirePermission is set when the user must be allowed the verb "exempt"
	// on rules.probity.dev of the rule's name.
	RequirePermission bool
}

// Exemption takes the findings of some rules on some workloads out of action.
type Exemption struct {
	Match Match
	// Rules are ids, one at least.
	Rules  []string
	Reason string
	// Until is the last day on which it holds, at its start in UTC; zero means
	// without end.
	Until time.Time
	// Line is where it stands in the file.
	Line int
}

// Match says which findings an exemption is for. Every list that is not empty
// must have a glob that fits, and every label its value. At least one of them
// is given.
type Match struct {
	Namespaces, Kinds, Names []Glob
	// Labels are the workload's own.
	Labels map[string]Glob
	// Containers and Images are those of the finding's container; a finding on
	// no container does not match.
	Containers, Images []Glob
}

// Glob is a pattern in which * stands for any text, none included.
type Glob string

// Match reports whether the whole text fits.
func (g Glob) Match(s string) bool {
	first, rest, star := strings.Cut(string(g), "*")
	s, ok := strings.CutPrefix(s, first)
	if !star || !ok {
		return ok && s == ""
	}
	parts := strings.Split(rest, "*")
	last := len(parts) - 1
	for _, part := range parts[:last] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return strings.HasSuffix(s, parts[last])
}

func (e *Exemptions) value() value {
	return object{fields: []field{
		{name: "byAnnotation", doc: "How a workload may exempt itself, by the annotation probity.dev/exempt.", value: e.ByAnnotation.value()},
		{name: "namespaces", doc: "Namespaces in which nothing is judged and nothing injected, whatever their labels say. Globs.", value: globs(&e.Namespaces)},
		{name: "runtimeClasses", doc: "The same for pods of these runtimeClassNames. Globs.", value: globs(&e.RuntimeClasses)},
		{name: "users", doc: "The same for what these users write. Globs.", value: globs(&e.Users)},
		{name: "groups", doc: "The same for what members of these groups write. Globs.", value: globs(&e.Groups)},
		{name: "workloads", doc: "Exemptions for workloads that one cannot annotate, such as those of other people's charts.", value: list[Exemption]{
			target: &e.Workloads, item: (*Exemption).value,
		}},
	}}
}

func (a *ByAnnotation) value() value {
	allowed := true
	var rules []string
	return object{
		fields: []field{
			{name: "allowed", doc: "Whether the annotation is heeded. Default: true.", value: boolean(to(&allowed))},
			{name: "rules", doc: `The rules that it may name; "*" is all. Default: all.`, value: ruleIDs(&rules)},
			{name: "requireUntil", doc: "Whether it needs an end, in probity.dev/exempt-until. Default: false.", value: boolean(to(&a.RequireUntil))},
			{
				name: "requirePermission",
				doc: "Whether the user who writes it must be allowed the verb exempt on the resource rules of probity.dev, " +
					"with the rule's id as its name. Default: false.",
				value: boolean(to(&a.RequirePermission)),
			},
		},
		after: func(p *placed) {
			switch {
			case allowed && len(rules) > 0:
				a.Rules = unstarred(rules)
			case !allowed && len(rules) > 0:
				p.problem("rules", "must not be given where allowed is false")
			case !allowed:
				a.Rules = nil
			}
		},
	}
}

func (e *Exemption) value() value {
	return object{
		fields: []field{
			{name: "match", doc: "What is exempted. All fields that are given must fit; of a list, one item.", value: e.Match.value(), required: true},
			{name: "rules", doc: `The rules that it is exempted from; "*" is all.`, value: ruleIDs(&e.Rules), required: true},
			{name: "reason", doc: "Why, for those who read it later.", value: text(&e.Reason), required: true},
			{name: "until", doc: "The last day on which the exemption holds, such as 2027-01-31. Default: without end.", value: date(to(&e.Until))},
		},
		after: func(p *placed) {
			e.Line = p.node.Line
			e.Rules = unstarred(e.Rules)
		},
	}
}

func (m *Match) value() value {
	return object{
		atLeastOne: true,
		fields: []field{
			{name: "namespaces", doc: "Globs.", value: given(globs(&m.Namespaces))},
			{name: "kinds", doc: "Kinds as they are written, such as StatefulSet. Globs.", value: given(globs(&m.Kinds))},
			{name: "names", doc: "Names of workloads. Globs.", value: given(globs(&m.Names))},
			{name: "labels", doc: "Labels of the workload, each with a glob for its value.", value: dictionary[Glob]{&m.Labels, text[Glob]}},
			{name: "containers", doc: "Names of containers. Globs.", value: given(globs(&m.Containers))},
			{name: "images", doc: "Images as they are written, with registry and tag; * stands for slashes too. Globs.", value: given(globs(&m.Images))},
		},
	}
}

func globs(target *[]Glob) list[Glob] { return list[Glob]{target: target, item: text[Glob]} }

// given is a list that must not be empty: no condition at all would fit all.
func given[T any](l list[T]) list[T] {
	l.some = true
	return l
}

const everyRule = "*"

// ruleIDs is a list of rules, or "*".
func ruleIDs(target *[]string) value {
	names := append(allRules(), everyRule)
	return list[string]{target: target, some: true, item: func(id *string) value {
		return scalar{
			want: `must be the id of a rule, or "*" for all`, tags: []string{tagString}, names: names, lists: listsRules,
			is: schema{Type: "string", Enum: names},
			set: func(t string) bool {
				*id = t
				_, ok := validate.FindRule(t)
				return ok || t == everyRule
			},
		}
	}}
}

// listsRules is advice for a rule that does not exist.
const listsRules = "`probity explain` lists all"

func allRules() []string {
	rules := validate.Rules()
	ids := make([]string, len(rules))
	for i, r := range rules {
		ids[i] = r.ID
	}
	return ids
}

// unstarred puts all rules in place of "*".
func unstarred(ids []string) []string {
	for _, id := range ids {
		if id == everyRule {
			return allRules()
		}
	}
	return ids
}
