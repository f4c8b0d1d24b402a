package audit

import (
	"testing"

	"github.com/probity-dev/probity/e2e/install"
)

// TestTheLeaderScansAndNobodyElse starts a second replica, then kills the first.
func TestTheLeaderScansAndNobodyElse(t *testing.T) {
	s, probity := newSpace(t, "audit-leader", "audit"), local.Probity
	s.apply(deployment("orders", asksDatabase))
	second, err := local.Install(t.Context(), install.Options{Args: []string{"--shutdown-delay=0s", interval}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = second.Kill() })
	scans(t, probity, 3)
	if _, scanned := metric(t, second, lastRun); scanned {
		t.Error("a replica that does not lead has scanned")
	}
	if err := probity.Kill(); err != nil {
		t.Fatal(err)
	}
	scans(t, second, 1)
	if n, _ := metric(t, second, "probity_audit_findings"); n != 1 {
		t.Errorf("the new leader has %v findings, want 1", n)
	}
	if err := probity.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	scans(t, second, 2)
	if _, scanned := metric(t, probity, lastRun); scanned {
		t.Error("the replica that came back has scanned while another leads")
	}
	if err := second.Stop(); err != nil {
		t.Fatal(err)
	}
	scans(t, probity, 1)
}
