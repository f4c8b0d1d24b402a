package enforcement

import (
	"strings"
	"testing"
)

// TestTheRatchet refuses updates for what they bring in, and for nothing else.
func TestTheRatchet(t *testing.T) {
	t.Parallel()
	const other = `name: side, ` + asksItself
	otherFaulty := strings.Replace(`name: side, `+asksRedis, "8080", "8081", 1)
	tests := []struct {
		name          string
		before, after []string // containers
		warns         string   // what the update warns of, where it passes
		refused       string   // or what it is refused for
	}{
		{name: "an unchanged fault", before: []string{asksDatabase}, after: []string{asksDatabase + `, env: [{name: A, value: b}]`}, warns: "(/health/db)"},
		{name: "a changed fault", before: []string{asksDatabase}, after: []string{asksRedis}, refused: "(/health/redis)"},
		{name: "a container that moved", before: []string{asksDatabase, other}, after: []string{other, asksDatabase}, warns: "containers[1].livenessProbe"},
		{name: "a container that is renamed", before: []string{asksDatabase}, after: []string{"name: web, " + asksDatabase}, warns: `container "web"`},
		{name: "a container that is renamed and has another fault", before: []string{asksDatabase}, after: []string{"name: web, " + asksRedis}, refused: `container "web"`},
		{name: "a fault that went to another container", before: []string{asksDatabase, other}, after: []string{asksItself, "name: side, " + asksDatabase}, refused: `container "side"`},
		{name: "a fault in place of another rule's", before: []string{asksDatabase}, after: []string{strings.Replace(asksItself, "timeoutSeconds: 2", "timeoutSeconds: 30", 1)}, refused: "[probe-timeout-period]"},
		{name: "one of two that is mended", before: []string{asksDatabase, otherFaulty}, after: []string{asksItself, otherFaulty}, warns: `container "side"`},
		{name: "a second one", before: []string{asksDatabase, other}, after: []string{asksDatabase, otherFaulty}, refused: `container "side"`},
		{name: "all that are mended", before: []string{asksDatabase}, after: []string{asksItself}},
	}
	s := newSpace(t, "e2e")
	name := func(test string) string { return strings.ReplaceAll(strings.ReplaceAll(test, " ", "-"), "'", "") }
	for _, tt := range tests {
		s.Must(deployment(name(tt.name), "", tt.before...), apply...)
	}
	s.enforce()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := s.in(t)
			after := deployment(name(tt.name), "", tt.after...)
			if tt.refused != "" {
				s.refused(after, apply, tt.refused)
				return
			}
			warnings := s.warned(after, apply...)
			if tt.warns == "" && warnings != "" || !strings.Contains(warnings, tt.warns) || strings.Count(warnings, "Warning: ") > 1 {
				t.Errorf("warns %q, want %q", warnings, tt.warns)
			}
		})
	}
}

// TestAnExemptionThatRanOut: what runs is let through with a warning.
func TestAnExemptionThatRanOut(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "e2e")
	over := exempted + ", probity.dev/exempt-until: '2020-01-31'"
	s.Must(deployment("orders", over, asksDatabase), apply...)
	s.enforce()
	warnings := s.warned(strings.Replace(deployment("orders", over, asksDatabase), "replicas: 2", "replicas: 3", 1), apply...)
	for _, text := range []string{warning, "ended after 2020-01-31 (UTC)"} {
		if !strings.Contains(warnings, text) {
			t.Errorf("%q is not in %q", text, warnings)
		}
	}
	s.refused(deployment("another", over, asksDatabase), apply, rule, "Not exempted: ", "ended after 2020-01-31 (UTC)")
}
