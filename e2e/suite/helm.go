package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/probity-dev/probity/e2e/install"
)

// Helm is Helm's library, of both versions, as a program.
type Helm struct {
	program string
	home    string
}

// BuildHelm builds the program beside that of Probity. The first time it takes minutes.
func BuildHelm(ctx context.Context, local *install.Local) (*Helm, error) {
	fmt.Fprintln(os.Stderr, "Building Helm. The first time takes some minutes.")
	// A module of its own: Helm needs other versions of libraries than the control plane.
	program, err := local.Build(ctx, "helm", filepath.Join("e2e", "chart"), "./helm")
	if err != nil {
		return nil, err
	}
	return UseHelm(program, local.Dir()), nil
}

// UseHelm returns Helm whose program was built before. Home is a folder without
// settings of a person.
func UseHelm(program, home string) *Helm { return &Helm{program, home} }

// Release says what Helm works on.
type Release struct {
	// Version is Helm's: "4" or "3".
	Version string
	// Kubeconfig is a path.
	Kubeconfig string
	Namespace  string
	// URL is what webhooks call in place of their Service; "" leaves them alone.
	URL string
}

// Run runs a command, such as "install" or "rollback" and its argument. Values may be
// nil.
func (h *Helm) Run(ctx context.Context, r Release, values any, command ...string) error {
	text := []byte("{}")
	if values != nil {
		var err error
		if text, err = json.Marshal(values); err != nil {
			return err
		}
	}
	args := append([]string{"-version", r.Version, "-kubeconfig", r.Kubeconfig, "-namespace", r.Namespace, "-url", r.URL, "-values", string(text)}, command...)
	cmd := exec.CommandContext(ctx, h.program, args...)
	cmd.Env = append(os.Environ(), "HOME="+h.home)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("helm %v: %w\n%s", command, err, out)
	}
	return nil
}
