package faults

import (
	"context"
	"testing"
)

// TestPermissionsAreTakenAway while Probity works with them.
func TestPermissionsAreTakenAway(t *testing.T) {
	s := newSpace(t, local)
	s.make("before")
	s.budgets(1)
	failures := func() float64 { return metric(t.Context(), local.Probity, "probity_budget_failures_total", nil) }
	audits := func() float64 { return metric(t.Context(), local.Probity, "probity_audit_errors_total", nil) }
	failed, unread, ended := failures(), audits(), local.Probity.Ended()
	log := follow(t, local.Probity)
	restore := withdraw(t, s, "probity")
	s.make("after")
	s.Eventually("the metrics to tell", func(context.Context) bool { return failures() > failed && audits() > unread })
	log.tells(`"level":"ERROR"`, "after", "poddisruptionbudgets", "forbidden")
	s.stillJudged("without permissions")
	s.budgets(1)
	if err := local.Probity.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	restore()
	s.budgets(2)
	select {
	case <-ended:
		t.Error("Probity has ended")
	default:
	}
}

// TestPermissionsAreMissingAtTheStart: Probity waits for them, and says so.
func TestPermissionsAreMissingAtTheStart(t *testing.T) {
	for _, tt := range []struct {
		name, binding, reason string
	}{
		{"of namespaces", "probity", "namespaces are not read yet"},
		{"of webhook configurations", "probity-certificates", "no serving certificate"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSpace(t, local)
			if err := local.Probity.Stop(); err != nil {
				t.Fatal(err)
			}
			log := follow(t, local.Probity)
			restore := withdraw(t, s, tt.binding)
			if err := local.Probity.Launch(); err != nil {
				t.Fatal(err)
			}
			ended := local.Probity.Ended()
			s.Eventually("the process", func(ctx context.Context) bool { _, err := local.Probity.Metrics(ctx); return err == nil })
			if err := local.Probity.Ready(t.Context()); err == nil {
				t.Error("it is ready")
			}
			log.tells(`"msg":"not ready"`, tt.reason)
			log.tells("forbidden")
			if o, err := s.faulty(t.Context()); o != unjudged {
				t.Errorf("with failurePolicy Ignore: outcome %d, %v", o, err)
			}
			restore()
			s.Await("Probity to be ready", local.Probity.Ready)
			s.judged()
			select {
			case <-ended:
				t.Error("Probity has ended")
			default:
			}
		})
	}
}
