package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestIntroduced(t *testing.T) {
	f := func(container, evidence string) Finding {
		return Finding{Rule: "liveness-dependency-path", Container: container, Probe: "liveness", Evidence: evidence}
	}
	list := func(f ...Finding) []Finding { return f }
	tests := []struct {
		name        string
		now, before []Finding
		want        []Finding
	}{
		{"an unchanged fault is none", list(f("a", "/health/db")), list(f("a", "/health/db")), nil},
		{"a changed fault is one", list(f("a", "/health/redis")), list(f("a", "/health/db")), list(f("a", "/health/redis"))},
		{"a moved container keeps its fault", list(f("b", "x"), f("a", "/health/db")), list(f("a", "/health/db"), f("b", "x")), nil},
		{"a renamed container keeps its fault", list(f("b", "/health/db")), list(f("a", "/health/db")), nil},
		{"one fault does not pay for two", list(f("a", "/health/db"), f("b", "/health/db")), list(f("a", "/health/db")), list(f("b", "/health/db"))},
		{"a fixed one of two brings nothing", list(f("b", "y")), list(f("a", "x"), f("b", "y")), nil},
		{"a fault in place of another is one", list(f("a", "y")), list(f("a", "x")), list(f("a", "y"))},
		{"a new object brings all", list(f("a", "x"), f("a", "y")), nil, list(f("a", "x"), f("a", "y"))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Introduced(tt.now, tt.before), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRatchetRefusesOnlyWhatIsNew(t *testing.T) {
	old := Finding{Rule: "r", Container: "a", Evidence: "old", Action: Deny}
	fresh := Finding{Rule: "r", Container: "a", Evidence: "new", Action: Deny}
	now := []Finding{old, fresh}
	Ratchet(now, []Finding{old})
	if now[0].Action != Warn || now[1].Action != Deny {
		t.Errorf("got %v and %v", now[0].Action, now[1].Action)
	}
}
