// Package admission tests Probity against a real API server, etcd, controller manager
// and scheduler, installed from its manifests and run as a program of its own.
package admission

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/probity-dev/probity/e2e/controlplane"
	"github.com/probity-dev/probity/e2e/install"
)

// What the tests share: starting it takes longer than all of them.
var (
	cluster    *controlplane.ControlPlane
	probity    *install.Probity
	adminFile  string // kubeconfig of an administrator
	repository string
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
	ctx := context.Background()
	programs, err := controlplane.Build(ctx, os.Stderr)
	if err != nil {
		return 1, err
	}
	if repository, err = install.Repository(); err != nil {
		return 1, err
	}
	dir, err := os.MkdirTemp("", "probity-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	binary, err := install.BuildBinary(ctx, repository, dir)
	if err != nil {
		return 1, err
	}
	if cluster, err = controlplane.Start(ctx, controlplane.Options{Programs: programs, Nodes: 2}); err != nil {
		return 1, err
	}
	defer cluster.Stop()
	if adminFile, err = cluster.Kubeconfig(cluster.Admin()); err != nil {
		return 1, err
	}
	probity, err = install.Install(ctx, cluster, install.Options{
		Binary: binary, Manifests: filepath.Join(repository, "manifests", "base"), Args: []string{"--shutdown-delay=0s"},
	})
	if err != nil {
		return 1, err
	}
	defer probity.Stop()
	return m.Run(), nil
}
