// Package operations tests what an operator does with Probity, and what Probity
// tells an operator, on a real control plane: labels, break glass as documented,
// a changed configuration, metrics, Events and permissions.
package operations

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/probity-dev/probity/e2e/controlplane"
	"github.com/probity-dev/probity/e2e/install"
)

var update = flag.Bool("update", false, "write the golden files")

// What the tests share: starting it takes longer than most of them.
var (
	cluster       *controlplane.ControlPlane
	probity       *install.Probity
	repository    string
	adminFile     string // kubeconfig of an administrator
	configuration volume // with the file that Probity runs with
)

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	dir, err := os.MkdirTemp("", "probity-operations-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	configuration = volume{dir: dir}
	if err := configuration.put(harmless); err != nil {
		return 1, err
	}
	local, err := install.StartLocal(context.Background(), 1, os.Stderr, "--shutdown-delay=0s", "--config="+filepath.Join(dir, fileName))
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, local.Stop()) }()
	cluster, probity, repository, adminFile = local.ControlPlane, local.Probity, local.Repository, local.Admin
	code = m.Run()
	return code, nothingForbidden()
}
