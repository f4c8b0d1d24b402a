// Package audit tests Probity's audit against a real API server: the reports that it
// keeps, which replica does so, and what `probity audit` prints.
package audit

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/probity-dev/probity/e2e/controlplane"
	"github.com/probity-dev/probity/e2e/install"
)

var update = flag.Bool("update", false, "write the golden files")

// What the tests share: starting it takes longer than all of them.
var (
	cluster   *controlplane.ControlPlane
	probity   *install.Probity
	local     *install.Local
	adminFile string // kubeconfig of an administrator
)

// interval is short, so that tests need not wait; nothing else differs.
const interval = "--audit-interval=1s"

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	flag.Parse()
	local, err = install.StartLocal(context.Background(), 2, os.Stderr, "--shutdown-delay=0s", interval)
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, local.Stop()) }()
	cluster, probity, adminFile = local.ControlPlane, local.Probity, local.Admin
	return m.Run(), nil
}
