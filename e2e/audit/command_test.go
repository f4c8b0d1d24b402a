package audit

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheCommandJudgesTheCluster compares what `probity audit` prints with golden
// files, for an administrator and for a user who may not see everything.
func TestTheCommandJudgesTheCluster(t *testing.T) {
	shop, lab, old := newSpace(t, "command-shop", "enforce"), newSpace(t, "command-lab", "audit"), newSpace(t, "command-old", "off")
	// Made before the mode, as in any cluster that Probity comes to.
	shop.Label("probity.dev/mode-")
	for _, s := range []space{shop, lab, old} {
		s.apply(deployment("orders", hangs) + "---\n" + deployment("cart", asksItself))
	}
	shop.apply(`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"cart"},"spec":{"maxUnavailable":0,"selector":{"matchLabels":{"app":"cart"}}}}`)
	shop.Label("probity.dev/mode=enforce")
	viewer := shop.As("viewer")
	tests := []struct {
		golden, kubeconfig string
		args               []string
		status             int
	}{
		{"one-namespace.txt", local.Admin, []string{"-n", "command-shop"}, 1},
		{"audit-mode.txt", local.Admin, []string{"-n", "command-lab"}, 0},
		{"off.txt", local.Admin, []string{"-n", "command-old"}, 0},
		{"what-would-break.txt", local.Admin, []string{"-n", "command-old", "--mode", "enforce"}, 1},
		{"viewer.txt", viewer, []string{"-n", "command-shop"}, 1},
		{"viewer-elsewhere.txt", viewer, []string{"-n", "command-lab"}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.golden, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), local.Binary, append([]string{"audit", "--kubeconfig", tt.kubeconfig}, tt.args...)...)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if status := cmd.ProcessState.ExitCode(); status != tt.status {
				t.Errorf("exit status %d, want %d", status, tt.status)
			}
			compare(t, filepath.Join("testdata", tt.golden), out)
		})
	}
}

func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Error(cmp.Diff(string(want), string(got)))
	}
}
