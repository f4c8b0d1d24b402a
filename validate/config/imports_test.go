package config

import (
	"os/exec"
	"strings"
	"testing"
)

// TestNoClientIsImported keeps configuration, rules and command-line tools free
// of everything that talks to a cluster.
func TestNoClientIsImported(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.Lines(string(out)) {
		dep = strings.TrimSpace(dep)
		if strings.HasPrefix(dep, "k8s.io/") || strings.HasPrefix(dep, "sigs.k8s.io/") || dep == "net/http" {
			t.Errorf("package config depends on %s", dep)
		}
	}
}
