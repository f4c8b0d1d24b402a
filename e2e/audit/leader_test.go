package audit

import (
	"path/filepath"
	"testing"

	"github.com/probity-dev/probity/e2e/install"
)

// TestTheLeaderScansAndNobodyElse starts a second replica, then kills the first.
func TestTheLeaderScansAndNobodyElse(t *testing.T) {
	newNamespace(t, "audit-leader", "audit")
	kubectl(t, deployment("orders", asksDatabase), "apply", "-n", "audit-leader", "-f", "-")
	binary, err := install.BuildBinary(t.Context(), local.Repository, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	second, err := install.Install(t.Context(), cluster, install.Options{
		Binary: binary, Manifests: filepath.Join(local.Repository, "manifests", "base"), Args: []string{"--shutdown-delay=0s", interval},
	})
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
