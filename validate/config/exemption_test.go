package config

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
)

func TestRulesThatAnnotationsMayName(t *testing.T) {
	var all []string
	for _, r := range validate.Rules() {
		all = append(all, r.ID)
	}
	tests := map[string][]string{
		"":                               all,
		"byAnnotation: {}":               all,
		"byAnnotation: {rules: ['*']}":   all,
		"byAnnotation: {allowed: true}":  all,
		"byAnnotation: {allowed: false}": nil,
		"byAnnotation: {rules: [probe-period, liveness-window]}": {"probe-period", "liveness-window"},
	}
	for text, want := range tests {
		got := parse(t, header+"exemptions: {"+text+"}\n").Exemptions.ByAnnotation.Rules
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestAStarIsEveryRule(t *testing.T) {
	c := parse(t, header+"exemptions:\n  workloads:\n  - {match: {names: [a]}, rules: [probe-period, '*'], reason: x}\n")
	if got := c.Exemptions.Workloads[0].Rules; !slices.Equal(got, allRules()) {
		t.Errorf("got %v", got)
	}
}
