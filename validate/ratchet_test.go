package validate

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// judgement has a container a name, and findings "container evidence".
func judgement(containers []string, findings ...[2]string) *Judgement {
	j := &Judgement{containers: containers}
	for _, f := range findings {
		j.Findings = append(j.Findings, Finding{Rule: "liveness-dependency-path", Action: Deny, Container: f[0], Probe: "liveness", Evidence: f[1]})
	}
	return j
}

func TestIntroduced(t *testing.T) {
	list := func(names ...string) []string { return names }
	type f = [2]string
	tests := []struct {
		name        string
		before, now *Judgement
		want        []bool // by finding of now
	}{
		{"an unchanged fault is none", judgement(list("a"), f{"a", "db"}), judgement(list("a"), f{"a", "db"}), []bool{false}},
		{"a changed fault is one", judgement(list("a"), f{"a", "db"}), judgement(list("a"), f{"a", "redis"}), []bool{true}},
		{"a moved container keeps its fault", judgement(list("a", "b"), f{"a", "db"}, f{"b", "x"}), judgement(list("b", "a"), f{"b", "x"}, f{"a", "db"}), []bool{false, false}},
		{"a renamed container keeps its fault", judgement(list("a"), f{"a", "db"}), judgement(list("b"), f{"b", "db"}), []bool{false}},
		{"a renamed container with another fault has a new one", judgement(list("a"), f{"a", "db"}), judgement(list("b"), f{"b", "redis"}), []bool{true}},
		{"a renamed container beside others keeps its fault", judgement(list("x", "a"), f{"a", "db"}), judgement(list("x", "b"), f{"b", "db"}), []bool{false}},
		{"two that swap their names keep theirs", judgement(list("a", "b"), f{"a", "db"}, f{"b", "db"}), judgement(list("b", "a"), f{"b", "db"}, f{"a", "db"}), []bool{false, false}},
		{"one fault does not pay for two", judgement(list("a", "b"), f{"a", "db"}), judgement(list("a", "b"), f{"a", "db"}, f{"b", "db"}), []bool{false, true}},
		{"a fault that moves to another container is new there", judgement(list("a", "b"), f{"a", "db"}), judgement(list("a", "b"), f{"b", "db"}), []bool{true}},
		{"a fault that moves as its container goes is new", judgement(list("a", "b"), f{"a", "db"}), judgement(list("b"), f{"b", "db"}), []bool{true}},
		{"a fault that moves to a new container while its own stays is new", judgement(list("a"), f{"a", "db"}), judgement(list("a", "b"), f{"b", "db"}), []bool{true}},
		{"one renamed container does not pay for two", judgement(list("a"), f{"a", "db"}), judgement(list("b", "c"), f{"b", "db"}, f{"c", "db"}), []bool{false, true}},
		{"a fixed one of two brings nothing", judgement(list("a", "b"), f{"a", "x"}, f{"b", "y"}), judgement(list("a", "b"), f{"b", "y"}), []bool{false}},
		{"a fault in place of another is one", judgement(list("a"), f{"a", "x"}), judgement(list("a"), f{"a", "y"}), []bool{true}},
		{"a fault of the whole workload stays the same", judgement(nil, f{"", "50%"}), judgement(nil, f{"", "50%"}), []bool{false}},
		{"a fault of the whole workload is not one of a container that is gone", judgement(list("a"), f{"a", "x"}), judgement(list("b"), f{"", "x"}), []bool{true}},
		{"a new object brings all", judgement(nil), judgement(list("a"), f{"a", "x"}, f{"a", "y"}), []bool{true, true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Introduced(tt.now, tt.before)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRatchetRefusesOnlyWhatIsNew(t *testing.T) {
	before := judgement([]string{"a"}, [2]string{"a", "old"})
	before.Findings[0].Action, before.Findings[0].Exempted = Off, true
	before.Findings[0].Exemption = &AppliedExemption{Source: ByOwnAnnotation, Action: Deny}
	now := judgement([]string{"a"}, [2]string{"a", "old"}, [2]string{"a", "new"})
	Ratchet(now, before)
	var got []Action
	for _, f := range now.Findings {
		got = append(got, f.Action)
	}
	if !slices.Equal(got, []Action{Warn, Deny}) {
		t.Errorf("got %v: an exemption that is gone leaves an old fault", got)
	}
}
