// Package budget tests the controller of disruption budgets against a real API
// server, with its controllers, scheduler and garbage collector, and nodes that kwok
// plays.
package budget

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/probity-dev/probity/e2e/controlplane"
	"github.com/probity-dev/probity/e2e/install"
)

// What the tests share: starting it takes longer than most of them.
var (
	cluster   *controlplane.ControlPlane
	probity   *install.Probity
	adminFile string // kubeconfig of an administrator
	buildDir  string // for programs that tests build
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
	local, err := install.StartLocal(context.Background(), 4, os.Stderr, "--shutdown-delay=0s")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, local.Stop()) }()
	if buildDir, err = os.MkdirTemp("", "probity-budget-"); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(buildDir)) }()
	cluster, probity, adminFile = local.ControlPlane, local.Probity, local.Admin
	return m.Run(), nil
}
