// Package admission tests Probity against a real API server, etcd, controller manager
// and scheduler, installed from its manifests and run as a program of its own.
package admission

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/probity-dev/probity/e2e/controlplane"
	"github.com/probity-dev/probity/e2e/install"
)

// What the tests share: starting it takes longer than all of them.
var (
	cluster   *controlplane.ControlPlane
	probity   *install.Probity
	adminFile string // kubeconfig of an administrator
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	local, err := install.StartLocal(context.Background(), 2, os.Stderr, "--shutdown-delay=0s")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, local.Stop()) }()
	cluster, probity, adminFile = local.ControlPlane, local.Probity, local.Admin
	return m.Run(), nil
}
