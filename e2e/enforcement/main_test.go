// Package enforcement tests, on a real API server with its controllers, that
// enforcement takes nothing away from what runs, and what exempts from it. Probity
// runs under the permissions of its manifests and with a configuration.
package enforcement

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/probity-dev/probity/e2e/controlplane"
	"github.com/probity-dev/probity/e2e/install"
)

// What the tests share: starting it takes longer than most of them.
var (
	cluster   *controlplane.ControlPlane
	adminFile string // kubeconfig of an administrator
)

// configuration exempts in every way that there is.
const configuration = `apiVersion: probity.dev/v1alpha1
kind: Configuration
exemptions:
  byAnnotation:
    requirePermission: true
  namespaces: [exempt-*]
  users: [emergency]
  groups: [firefighters]
  runtimeClasses: [sandboxed]
  workloads:
    - match: {kinds: [Deployment], names: [listed]}
      rules: [liveness-dependency-path]
      reason: the chart of another team
    - match: {kinds: [Deployment], names: [outdated]}
      rules: [liveness-dependency-path]
      reason: until a release that came long ago
      until: 2020-01-31
`

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "probity-enforcement-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(file, []byte(configuration), 0o600); err != nil {
		return 1, err
	}
	local, err := install.StartLocal(context.Background(), 3, os.Stderr, "--shutdown-delay=0s", "--config="+file)
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, local.Stop()) }()
	cluster, adminFile = local.ControlPlane, local.Admin
	return m.Run(), nil
}
