package config

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// identify looks at apiVersion and kind alone: of another kind of file, all
// else would be wrong too.
func (d *decoder) identify(root *yaml.Node) bool {
	if root.Kind != yaml.MappingNode {
		d.problem(root, "", "must be a mapping that holds apiVersion: %s and kind: %s, is %s", APIVersion, Kind, show(root))
		return false
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		name, v := root.Content[i].Value, d.follow(root.Content[i+1])
		for field, want := range map[string]string{"apiVersion": APIVersion, "kind": Kind} {
			if name == field && v.Value != want {
				d.problem(v, field, "must be %s, is %s", want, show(v))
			}
		}
	}
	return d.found == 0
}

// file is the whole file, with c as what is read into.
func (c *Config) file() value {
	var apiVersion, kind string
	return object{
		fields: []field{
			{name: "apiVersion", doc: "The version of the file's form.", value: constant(&apiVersion, APIVersion), required: true},
			{name: "kind", doc: "What the file is.", value: constant(&kind, Kind), required: true},
			{name: "defaults", doc: "What holds in a namespace whose labels do not say.", value: c.Defaults.value()},
			{name: "rules", doc: "Changes to the profiles, by rule.", value: c.rules()},
			{name: "dependencies", doc: "What Probity should know of your own applications.", value: c.dependencies()},
			{name: "kinds", doc: "Further kinds that hold a pod template.", value: c.customKinds()},
			{name: "startupProbes", doc: "The startup probes that Probity injects.", value: c.startupProbes()},
			{name: "disruptionBudgets", doc: "The PodDisruptionBudgets that Probity makes.", value: c.Budget.value()},
			{name: "exemptions", doc: "What is let through.", value: exemptions(&c.Exemptions)},
		},
		after: func(p *placed) {
			c.checkStartupBudget(p)
			if err := c.build(); err != nil {
				// Unreachable as far as each part is checked where it stands.
				p.problem("", "is not legal: %v", err)
			}
		},
	}
}

func (c *Config) startupProbes() value {
	return object{
		fields: []field{{
			name: "budget", value: duration(to(&c.StartupBudget)),
			doc: "The shortest time that an injected startup probe gives; a liveness probe that gives more, and the workload's annotation probity.dev/startup-budget, win. Default: 5m.",
		}},
		after: func(p *placed) {
			if p.values["budget"] != nil && c.StartupBudget == 0 {
				p.problem("budget", "must be longer than 0s")
			}
		},
	}
}

func constant(target *string, want string) value {
	return scalar{
		want: "must be " + want, tags: []string{tagString}, is: schema{Const: want},
		set: func(t string) bool {
			*target = t
			return t == want
		},
	}
}

func (d *Defaults) value() value {
	return object{fields: []field{
		{
			name: "mode", value: enum(said(&d.Mode), validate.ParseMode, "enforce", "warn", "audit", "off"),
			doc: "What findings do: enforce denies and warns as the profile says, warn denies nothing, audit lets nothing reach the user, off judges nothing. Default: off.",
		},
		{
			name: "profile", value: enum(said(&d.Profile), validate.ParseProfile, "baseline", "strict"),
			doc: "Which rules deny and which warn. Default: baseline.",
		},
		{
			name: "inject", value: enum(said(&d.Injection), validate.ParseInjection, "all", "startup", "budget", "none"),
			doc: "What Probity adds by itself. Default: all where the mode is enforce, none elsewhere.",
		},
	}}
}

var (
	groups        = regexp.MustCompile(`^[^/\s]+$`)
	templatePaths = regexp.MustCompile(`^[^.\[\]/~\s]+(\.[^.\[\]/~\s]+)*$`) // as package workload has it
)

func (c *Config) customKinds() value {
	return list[workload.CustomKind]{target: &c.CustomKinds, item: func(k *workload.CustomKind) value {
		return object{
			fields: []field{
				{name: "group", doc: "The API group, such as apps.kruise.io; any version of it counts.", value: matching(&k.Group, "must be a group without version, such as apps.kruise.io", groups), required: true},
				{name: "kind", doc: "The kind, such as CloneSet.", value: text(&k.Kind), required: true},
				{
					name: "templatePath", value: matching(&k.TemplatePath, "must be the names of fields joined by dots, such as spec.template", templatePaths), required: true,
					doc: "The field path of the pod template, which holds metadata and spec: spec.template.",
				},
			},
			after: func(p *placed) {
				if workload.DefaultKinds().Judged(k.Group+"/v1", k.Kind) {
					p.problem("kind", "must be a further kind; %s of group %s is known already", clip(k.Kind), clip(k.Group))
					return
				}
				for _, other := range c.CustomKinds {
					if other.Group == k.Group && other.Kind == k.Kind {
						p.problem("kind", "must be named once; %s of group %s stands above already", clip(k.Kind), clip(k.Group))
					}
				}
			},
		}
	}}
}

const alwaysAllow = "AlwaysAllow"

func (b *Budget) value() value {
	return object{fields: []field{
		{
			name: "maxUnavailable", value: amount(&b.MaxUnavailable),
			doc: "How many pods may be away at a time: a number, or a percentage, which rounds up. Default: 10%.",
		},
		{
			name: "unhealthyPodEvictionPolicy",
			value: oneOf(to(&b.UnhealthyPodEvictionPolicy),
				choice[string]{alwaysAllow, alwaysAllow}, choice[string]{"IfHealthyBudget", "IfHealthyBudget"}),
			doc: "Whether pods that are not ready may always be evicted. Default: AlwaysAllow.",
		},
	}}
}

// amount is a number of one or more, or a percentage: none at all would block
// every drain.
func amount(target *workload.IntOrPercent) value {
	one := 1
	return scalar{
		want: "must be a whole number of 1 or more, or a percentage from 1% to 100%", tags: []string{tagInt, tagString},
		is: schema{AnyOf: []*schema{
			{Type: "integer", Minimum: &one},
			{Type: "string", Pattern: `^([1-9][0-9]?|100)%$`},
		}},
		set: func(t string) bool {
			digits, percent := strings.CutSuffix(t, "%")
			n, err := strconv.ParseUint(digits, 10, 31)
			*target = workload.IntOrPercent{Text: t, Value: int32(n), Percent: percent}
			return err == nil && n >= 1 && (!percent || n <= 100)
		},
	}
}
