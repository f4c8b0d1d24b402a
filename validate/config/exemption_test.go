package config

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
)

func TestGlobs(t *testing.T) {
	tests := map[Glob]struct{ fit, differ []string }{
		"app":      {[]string{"app"}, []string{"", "apps", "my-app", "App"}},
		"app-*":    {[]string{"app-", "app-1"}, []string{"app", "my-app-1"}},
		"*-app":    {[]string{"-app", "my-app"}, []string{"app", "my-app-1"}},
		"a*c":      {[]string{"ac", "abc", "abcc"}, []string{"a", "acb"}},
		"aa*aa":    {[]string{"aaaa", "aabaa"}, []string{"aaa", "aa"}},
		"*a*b*":    {[]string{"ab", "xaxbx", "aab"}, []string{"ba", "a", ""}},
		"*":        {[]string{"", "a"}, nil},
		"**":       {[]string{"", "a"}, nil},
		"a.[b]?":   {[]string{"a.[b]?"}, []string{"axb"}},
		"r.io/*:1": {[]string{"r.io/a/b:1"}, []string{"r.io/a/b:1@sha256:0"}},
	}
	for glob, tt := range tests {
		for _, s := range tt.fit {
			if !glob.Match(s) {
				t.Errorf("%q does not match %q", glob, s)
			}
		}
		for _, s := range tt.differ {
			if glob.Match(s) {
				t.Errorf("%q matches %q", glob, s)
			}
		}
	}
}

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
