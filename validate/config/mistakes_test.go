package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mistakes are files, below their head of two lines, with what Parse says of
// them. The schema refuses each too, but those marked beyond: it has no words
// for them.
var mistakes = map[string]struct {
	text   string
	beyond bool
	want   []string
}{
	"a field that does not exist": {"rule: {}\n", false, []string{
		`3: has no field "rule"; did you mean "rules"?`,
	}},
	"a field that resembles none": {"exclude: {}\n", false, []string{
		`3: has no field "exclude"; legal: apiVersion, kind, defaults, rules, dependencies, kinds, startupProbes, disruptionBudgets, exemptions`,
	}},
	"a field of another section": {"defaults:\n  mode: warn\n  action: deny\n", false, []string{
		`5: defaults has no field "action"; legal: mode, profile, inject`,
	}},
	"a field that stands twice": {"defaults: {mode: warn}\ndefaults: {mode: audit}\n", true, []string{
		`4: defaults stands twice, first on line 3`,
	}},
	"a field whose name is a list": {"? [a]\n: b\n", true, []string{
		`3: must have names as keys, has a list`,
	}},
	"a merge key": {"defaults: &d {mode: warn}\nrules: {<<: *d}\n", true, []string{
		"4: rules has no rule \"<<\"; `probity explain` lists all",
	}},
	"a name with control characters": {`"a\e[1m": 1` + "\n", false, []string{
		`3: has no field "a\x1b[1m"; legal: apiVersion, kind, defaults, rules, dependencies, kinds, startupProbes, disruptionBudgets, exemptions`,
	}},
	"an illegal mode": {"defaults: {mode: enforced}\n", false, []string{
		`3: defaults.mode must be enforce, warn, audit or off, is "enforced"; did you mean "enforce"?`,
	}},
	"a mode that a tool has made false": {"defaults: {mode: false}\n", false, []string{
		`3: defaults.mode must be enforce, warn, audit or off, is false; put off in quotes, some tools make false of it`,
	}},
	"an illegal profile": {"defaults: {profile: paranoid}\n", false, []string{
		`3: defaults.profile must be baseline or strict, is "paranoid"`,
	}},
	"an illegal injection": {"defaults: {inject: true}\n", false, []string{
		`3: defaults.inject must be all, startup, budget or none, is true`,
	}},
	"a section that is a list": {"defaults: [mode]\n", false, []string{
		`3: defaults must hold fields, is a list`,
	}},
	"a section that is text": {"rules: none\n", false, []string{
		`3: rules must hold fields, is "none"`,
	}},
	"a rule that does not exist": {"rules:\n  liveness-windw: {action: warn}\n", false, []string{
		`4: rules has no rule "liveness-windw"; did you mean "liveness-window"?`,
	}},
	"a rule that resembles none": {"rules:\n  no-latest-tag: {action: warn}\n", false, []string{
		"4: rules has no rule \"no-latest-tag\"; `probity explain` lists all",
	}},
	"an illegal action": {"rules:\n  liveness-window: {action: refuse}\n", false, []string{
		`4: rules.liveness-window.action must be deny, warn or off, is "refuse"`,
	}},
	"a refusal for what may come next": {"rules:\n  budget-missing: {action: deny}\n", false, []string{
		`4: rules.budget-missing.action must be warn or off, is "deny"`,
	}},
	"an action without its field": {"rules:\n  liveness-window: deny\n", false, []string{
		`4: rules.liveness-window must hold fields, is "deny"`,
	}},
	"an action on a guess for a rule that never guesses": {"rules:\n  liveness-window: {likely: warn}\n", false, []string{
		`4: rules.liveness-window has no field "likely"; legal: action, parameters`,
	}},
	"a guess that is taken harder than a proof": {"rules:\n  liveness-dependency-path: {action: warn, likely: deny}\n", true, []string{
		`4: rules.liveness-dependency-path.likely must not be harder than action; it is deny, and action is warn in baseline`,
	}},
	"a guess harder than the profile's proof": {"rules:\n  readiness-shared-dependency: {likely: warn}\n", true, []string{
		`4: rules.readiness-shared-dependency.likely must not be harder than action; it is warn, and action is off in baseline`,
	}},
	"a parameter that does not exist": {"rules:\n  liveness-window:\n    parameters: {most: 5m}\n", false, []string{
		`5: rules.liveness-window.parameters has no parameter "most"; legal: min, max`,
	}},
	"parameters of a rule without any": {"rules:\n  startup-missing: {parameters: {min: 5m}}\n", false, []string{
		`4: rules.startup-missing has no field "parameters"; legal: action`,
	}},
	"a duration without unit": {"rules:\n  liveness-window: {parameters: {min: 30}}\n", false, []string{
		`4: rules.liveness-window.parameters.min must be a duration such as 30s, 5m or 1h30m, is 30`,
	}},
	"a duration in words": {"rules:\n  liveness-window: {parameters: {min: 5 min}}\n", false, []string{
		`4: rules.liveness-window.parameters.min must be a duration such as 30s, 5m or 1h30m, is "5 min"`,
	}},
	"a duration under a second": {"rules:\n  liveness-window: {parameters: {min: 500ms}}\n", false, []string{
		`4: rules.liveness-window.parameters.min must be a duration such as 30s, 5m or 1h30m, is "500ms"`,
	}},
	"a duration that is negative": {"rules:\n  liveness-window: {parameters: {min: -5s}}\n", false, []string{
		`4: rules.liveness-window.parameters.min must be a duration such as 30s, 5m or 1h30m, is "-5s"`,
	}},
	"a duration beyond all": {"rules:\n  liveness-window: {parameters: {max: 99999999999h}}\n", true, []string{
		`4: rules.liveness-window.parameters.max must be a duration such as 30s, 5m or 1h30m, is "99999999999h"`,
	}},
	"a shortest over the longest": {"rules:\n  liveness-window: {parameters: {min: 7m}}\n", true, []string{
		`4: rules.liveness-window.parameters must have min up to max; min is 7m and max is 5m in strict`,
	}},
	"a count that is negative": {"rules:\n  liveness-failure-threshold: {parameters: {min: -1}}\n", false, []string{
		`4: rules.liveness-failure-threshold.parameters.min must be a whole number of 0 or more, is -1`,
	}},
	"a count with a fraction": {"rules:\n  liveness-failure-threshold: {parameters: {min: 2.5}}\n", false, []string{
		`4: rules.liveness-failure-threshold.parameters.min must be a whole number of 0 or more, is 2.5`,
	}},
	"a count in quotes": {"rules:\n  liveness-failure-threshold: {parameters: {min: \"2\"}}\n", false, []string{
		`4: rules.liveness-failure-threshold.parameters.min must be a whole number of 0 or more, is "2"`,
	}},
	"a count without content": {"rules:\n  liveness-failure-threshold:\n    parameters:\n      min:\n", false, []string{
		`6: rules.liveness-failure-threshold.parameters.min must be a whole number of 0 or more, is empty`,
	}},
	"a boolean of YAML 1.1": {"rules:\n  probe-timeout-period: {parameters: {allowEqual: yes}}\n", false, []string{
		`4: rules.probe-timeout-period.parameters.allowEqual must be true or false, is "yes"`,
	}},
	"words that are not": {"dependencies:\n  words: [payments, a/b, two words, 5, '']\n", false, []string{
		`4: dependencies.words[1] must be one word of a path or a name, such as payments, is "a/b"`,
		`4: dependencies.words[2] must be one word of a path or a name, such as payments, is "two words"`,
		`4: dependencies.words[3] must be one word of a path or a name, such as payments, is 5; put it in quotes`,
		`4: dependencies.words[4] must be one word of a path or a name, such as payments, is ""`,
	}},
	"words that are text": {"dependencies: {words: payments}\n", false, []string{
		`3: dependencies.words must be a list, is "payments"`,
	}},
	"an endpoint without what it needs": {"dependencies:\n  endpoints:\n  - product: Shop\n", false, []string{
		`5: dependencies.endpoints[0] must have path`,
		`5: dependencies.endpoints[0] must have scope`,
		`5: dependencies.endpoints[0] must have asks`,
	}},
	"an endpoint with an illegal scope and port": {"dependencies:\n  endpoints:\n  - {product: Shop, path: /x, asks: y, scope: pod,\n     ports: [Web, 70000]}\n", false, []string{
		`5: dependencies.endpoints[0].scope must be process, instance, shared or unknown, is "pod"`,
		`6: dependencies.endpoints[0].ports[0] must be a port number or the name of a port, is "Web"`,
		`6: dependencies.endpoints[0].ports[1] must be a port number or the name of a port, is 70000`,
	}},
	"endpoints that no path can fit": {
		"dependencies:\n  endpoints:\n  - {product: Shop, path: /a, scope: shared, asks: x}\n" +
			"  - {product: Shop, path: deep, scope: shared, asks: x}\n  - {product: Shop, path: /b, scope: shared, asks: x}\n" +
			"  - {product: Shop, path: /c, scope: shared, asks: x, query: [\"a=\"]}\n", true, []string{
			`6: dependencies.endpoints[1] is not legal: endpoint entry "Shop" "deep": path must start with a slash`,
			`8: dependencies.endpoints[3] is not legal: endpoint entry "Shop" "/c": condition "a=" must be "name", "!name", "name=value" or "name=passing"`,
		},
	},
	"a client without what it needs": {"dependencies:\n  clients:\n  - {names: [], options: {-h: \"a b\"}}\n", false, []string{
		`5: dependencies.clients[0].names must not be empty`,
		`5: dependencies.clients[0].options[-h] must be one word without blanks, is "a b"`,
		`5: dependencies.clients[0] must have product`,
	}},
	"a client whose option is of no use": {"dependencies:\n  clients:\n  - {names: [ctl], product: Shop, options: {-h: hots}}\n", true, []string{
		`5: dependencies.clients[0] is not legal: client "ctl": flag "-h:hots" must be an option and one of the roles ROLES`,
	}},
	"a client's option that stands twice": {"dependencies:\n  clients:\n  - {names: [ctl], product: Shop, options: {-h: host, -h: port}}\n", true, []string{
		`5: dependencies.clients[0].options[-h] stands twice`,
	}},
	"a kind without what it needs": {"kinds:\n- kind: CloneSet\n", false, []string{
		`4: kinds[0] must have group`,
		`4: kinds[0] must have templatePath`,
	}},
	"a kind that is known": {"kinds:\n- {group: apps, kind: Deployment, templatePath: spec.template}\n", true, []string{
		`4: kinds[0].kind must be a further kind; Deployment of group apps is known already`,
	}},
	"a kind with a version": {"kinds:\n- {group: apps.kruise.io/v1, kind: CloneSet, templatePath: spec.template}\n", false, []string{
		`4: kinds[0].group must be a group without version, such as apps.kruise.io, is "apps.kruise.io/v1"`,
	}},
	"a kind that stands twice": {"kinds:\n- &k {group: apps.kruise.io, kind: CloneSet, templatePath: spec.template}\n- *k\n", true, []string{
		`4: kinds[1].kind must be named once; CloneSet of group apps.kruise.io stands above already`,
	}},
	"a path that is none": {"kinds:\n- group: apps.kruise.io\n  kind: CloneSet\n  templatePath: spec.templates[0]\n", false, []string{
		`6: kinds[0].templatePath must be the names of fields joined by dots, such as spec.template, is "spec.templates[0]"`,
	}},
	"a startup budget of nothing": {"startupProbes: {budget: 0s}\n", true, []string{
		`3: startupProbes.budget must be longer than 0s`,
	}},
	"a startup budget against Probity's own rule": {"startupProbes: {budget: 1h}\n", true, []string{
		`3: startupProbes must have a budget from 10s to 30m, as the rule startup-budget has it in baseline; it is 1h`,
	}},
	"a disruption budget that blocks every drain": {"disruptionBudgets: {maxUnavailable: 0}\n", false, []string{
		`3: disruptionBudgets.maxUnavailable must be a whole number of 1 or more, or a percentage from 1% to 100%, is 0`,
	}},
	"a disruption budget over all": {"disruptionBudgets: {maxUnavailable: 101%, unhealthyPodEvictionPolicy: Always}\n", false, []string{
		`3: disruptionBudgets.maxUnavailable must be a whole number of 1 or more, or a percentage from 1% to 100%, is "101%"`,
		`3: disruptionBudgets.unhealthyPodEvictionPolicy must be AlwaysAllow or IfHealthyBudget, is "Always"`,
	}},
	"an exemption without what it needs": {"exemptions:\n  workloads:\n  - match: {names: [a]}\n", false, []string{
		`5: exemptions.workloads[0] must have rules`,
		`5: exemptions.workloads[0] must have reason`,
	}},
	"an exemption of everything": {"exemptions:\n  workloads:\n  - {match: {}, rules: [\"*\"], reason: because}\n", false, []string{
		`5: exemptions.workloads[0].match must have at least one of namespaces, kinds, names, labels, containers, images`,
	}},
	"an exemption whose names are forgotten": {"exemptions:\n  workloads:\n  - {match: {names: []}, rules: [\"*\"], reason: because}\n", false, []string{
		`5: exemptions.workloads[0].match.names must not be empty`,
	}},
	"an exemption without a word for its reason": {"exemptions:\n  workloads:\n  - {match: {names: [a]}, rules: [\"*\"], reason: \" \"}\n", false, []string{
		`5: exemptions.workloads[0].reason must be text, is " "`,
	}},
	"an exemption from what does not exist": {"exemptions:\n  workloads:\n  - {match: {names: [a]}, rules: [liveness-*, probe-perod], reason: because}\n", false, []string{
		"5: exemptions.workloads[0].rules[0] must be the id of a rule, or \"*\" for all, is \"liveness-*\"; `probity explain` lists all",
		`5: exemptions.workloads[0].rules[1] must be the id of a rule, or "*" for all, is "probe-perod"; did you mean "probe-period"?`,
	}},
	"an end that is no day": {"exemptions:\n  workloads:\n  - {match: {names: [a]}, rules: [\"*\"], reason: because, until: 2027-02-30}\n", true, []string{
		`5: exemptions.workloads[0].until must be a date such as 2027-01-31, is "2027-02-30"`,
	}},
	"an end with an hour": {"exemptions:\n  workloads:\n  - {match: {names: [a]}, rules: [\"*\"], reason: because, until: 2027-02-01T00:00:00Z}\n", false, []string{
		`5: exemptions.workloads[0].until must be a date such as 2027-01-31, is "2027-02-01T00:00:00Z"`,
	}},
	"a label that is a number": {"exemptions:\n  workloads:\n  - {match: {labels: {tier: 1}}, rules: [\"*\"], reason: because}\n", false, []string{
		`5: exemptions.workloads[0].match.labels[tier] must be text, is 1; put it in quotes`,
	}},
	"rules for an annotation that is not allowed": {"exemptions:\n  byAnnotation: {allowed: false, rules: [probe-period]}\n", true, []string{
		`4: exemptions.byAnnotation.rules must not be given where allowed is false`,
	}},
	"everything at once, in the order of the lines": {"kinds: x\nrules:\n  a: {}\ndefaults: {mode: x}\nstartupProbes: [1]\n", false, []string{
		`3: kinds must be a list, is "x"`,
		"5: rules has no rule \"a\"; `probity explain` lists all",
		`6: defaults.mode must be enforce, warn, audit or off, is "x"`,
		`7: startupProbes must hold fields, is a list`,
	}},
}

func TestMistakesAreNamedWithTheirLines(t *testing.T) {
	for name, tt := range mistakes {
		t.Run(name, func(t *testing.T) { wantProblems(t, header+tt.text, tt.want) })
	}
}

func TestWhatIsNoConfigurationIsSaid(t *testing.T) {
	const needs = "it must hold apiVersion: probity.dev/v1alpha1 and kind: Configuration"
	tests := map[string]struct {
		text string
		want []string
	}{
		"nothing":                 {"", []string{"1: is empty; " + needs}},
		"comments":                {"# later\n", []string{"1: is empty; " + needs}},
		"a list":                  {"- a\n", []string{"1: must be a mapping that holds apiVersion: probity.dev/v1alpha1 and kind: Configuration, is a list"}},
		"no head":                 {"defaults: {mode: warn}\n", []string{"1: must have apiVersion", "1: must have kind"}},
		"another version":         {"kind: Configuration\napiVersion: probity.dev/v1\nnew: 1\n", []string{`2: apiVersion must be probity.dev/v1alpha1, is "probity.dev/v1"`}},
		"a ConfigMap":             {"apiVersion: v1\nkind: ConfigMap\ndata: {}\n", []string{`1: apiVersion must be probity.dev/v1alpha1, is "v1"`, `2: kind must be Configuration, is "ConfigMap"`}},
		"an apiVersion of fields": {"apiVersion: {}\nkind: Configuration\n", []string{`1: apiVersion must be probity.dev/v1alpha1, is a mapping`}},
		"two documents":           {header + "---\n" + header, []string{"3: is a second document; a configuration is one"}},
		"broken YAML":             {header + "rules: {\n", []string{"3: is not YAML: did not find expected node content"}},
		"broken YAML behind it":   {header + "---\n{\n", []string{"4: is not YAML: did not find expected node content"}},
		"a tab":                   {header + "rules:\n\tx: 1\n", []string{"4: is not YAML: found character that cannot start any token"}},
		"no text":                 {"\x00", []string{" is not YAML: control characters are not allowed"}},
		"an anchor that is not":   {header + "rules: *a\n", []string{" is not YAML: unknown anchor 'a' referenced"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { wantProblems(t, tt.text, tt.want) })
	}
}

// wantProblems compares Parse's error with lines of "LINE: MESSAGE". ROLES
// stands for a list that package command makes.
func wantProblems(t *testing.T, text string, want []string) {
	t.Helper()
	c, err := Parse("config.yaml", []byte(text))
	if err == nil {
		t.Fatalf("is legal: %+v", c)
	}
	if !errors.As(err, new(*Error)) {
		t.Errorf("the error is a %T", err)
	}
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "config.yaml:")
		if before, _, ok := strings.Cut(lines[i], "one of the roles "); ok {
			lines[i] = before + "one of the roles ROLES"
		}
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestManyProblemsAreCut(t *testing.T) {
	text := header + "kinds:\n" + strings.Repeat("- {}\n", 50)
	_, err := Parse("config.yaml", []byte(text))
	var problems *Error
	if !errors.As(err, &problems) || len(problems.Problems) != maxProblems || problems.More != 50 {
		t.Fatalf("got %v", err)
	}
	if !strings.HasSuffix(err.Error(), "\nconfig.yaml: and 50 more") {
		t.Errorf("got %s", err)
	}
}

func TestFilesThatAreTooLargeAreRefused(t *testing.T) {
	var aliases strings.Builder
	aliases.WriteString(header + "exemptions:\n  namespaces: &n [")
	for range 1000 {
		aliases.WriteString("a, ")
	}
	aliases.WriteString("]\n  workloads:\n")
	for range 150 {
		aliases.WriteString("  - {match: {names: *n}, rules: [\"*\"], reason: x}\n")
	}
	tests := map[string]struct {
		text string
		want []string
	}{
		"a file of many megabytes":    {strings.Repeat("#", maxSize+1), []string{fmt.Sprintf("1: is over the limit of %d bytes", maxSize)}},
		"aliases that make much more": {aliases.String(), []string{"4: exemptions.workloads[97].match.names is too much; a configuration has at most 100000 values, aliases followed"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { wantProblems(t, tt.text, tt.want) })
	}
}
