package config

import (
	"github.com/probity-dev/probity/validate"
)

func exemptions(e *validate.Exemptions) value {
	return object{fields: []field{
		{name: "byAnnotation", doc: "How a workload may exempt itself, by the annotation probity.dev/exempt.", value: byAnnotation(&e.ByAnnotation)},
		{name: "namespaces", doc: "Namespaces in which nothing is judged and nothing injected, whatever their labels say. Globs.", value: globs(&e.Namespaces)},
		{name: "runtimeClasses", doc: "The same for pods of these runtimeClassNames. Globs.", value: globs(&e.RuntimeClasses)},
		{name: "users", doc: "The same for what these users write. Globs.", value: globs(&e.Users)},
		{name: "groups", doc: "The same for what members of these groups write. Globs.", value: globs(&e.Groups)},
		{name: "workloads", doc: "Exemptions for workloads that one cannot annotate, such as those of other people's charts.", value: list[validate.Exemption]{
			target: &e.Workloads, item: exemption,
		}},
	}}
}

func byAnnotation(a *validate.ByAnnotation) value {
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

func exemption(e *validate.Exemption) value {
	return object{
		fields: []field{
			{name: "match", doc: "What is exempted. All fields that are given must fit; of a list, one item.", value: match(&e.Match), required: true},
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

func match(m *validate.Match) value {
	return object{
		atLeastOne: true,
		fields: []field{
			{name: "namespaces", doc: "Globs.", value: given(globs(&m.Namespaces))},
			{name: "kinds", doc: "Kinds as they are written, such as StatefulSet. Globs.", value: given(globs(&m.Kinds))},
			{name: "names", doc: "Names of workloads. Globs.", value: given(globs(&m.Names))},
			{name: "labels", doc: "Labels of the workload, each with a glob for its value.", value: dictionary[validate.Glob]{&m.Labels, text[validate.Glob]}},
			{name: "containers", doc: "Names of containers. Globs.", value: given(globs(&m.Containers))},
			{name: "images", doc: "Images as they are written, with registry and tag; * stands for slashes too. Globs.", value: given(globs(&m.Images))},
		},
	}
}

func globs(target *[]validate.Glob) list[validate.Glob] {
	return list[validate.Glob]{target: target, item: text[validate.Glob]}
}

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
