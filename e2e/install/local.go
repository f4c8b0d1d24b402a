package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/probity-dev/probity/e2e/controlplane"
)

// Local is a control plane on this machine with Probity in it.
type Local struct {
	*controlplane.ControlPlane
	Probity *Probity
	// Repository is the root of the repository that Probity was built from.
	Repository string
	// Admin is the path of an administrator's kubeconfig.
	Admin string

	dir string // of the built program
}

// StartLocal builds what is missing, starts a control plane and installs Probity
// from manifests/base. Progress goes to out. When it fails, what it started is
// stopped.
func StartLocal(ctx context.Context, nodes int, out io.Writer, args ...string) (*Local, error) {
	programs, err := controlplane.Build(ctx, out)
	if err != nil {
		return nil, err
	}
	l := &Local{}
	if err := l.start(ctx, programs, nodes, out, args); err != nil {
		return nil, errors.Join(err, l.Stop())
	}
	return l, nil
}

func (l *Local) start(ctx context.Context, programs string, nodes int, out io.Writer, args []string) (err error) {
	if l.Repository, err = Repository(); err != nil {
		return err
	}
	if l.dir, err = os.MkdirTemp("", "probity-build-"); err != nil {
		return err
	}
	fmt.Fprintln(out, "Building Probity.")
	binary, err := BuildBinary(ctx, l.Repository, l.dir)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "Starting etcd, the API server, the controllers and the nodes.")
	if l.ControlPlane, err = controlplane.Start(ctx, controlplane.Options{Programs: programs, Nodes: nodes}); err != nil {
		return err
	}
	if l.Admin, err = l.Kubeconfig(l.ControlPlane.Admin()); err != nil {
		return err
	}
	fmt.Fprintln(out, "Installing Probity: kubectl apply -k manifests/base.")
	l.Probity, err = Install(ctx, l.ControlPlane, Options{
		Binary: binary, Manifests: filepath.Join(l.Repository, "manifests", "base"), Args: args,
	})
	return err
}

// User gives an ordinary user the right to edit in the namespaces, and returns
// the path of its kubeconfig.
func (l *Local) User(ctx context.Context, name string, namespaces ...string) (kubeconfig string, err error) {
	access, err := l.ControlPlane.User(name)
	if err != nil {
		return "", err
	}
	for _, namespace := range namespaces {
		if err := l.AllowEdit(ctx, name, namespace); err != nil {
			return "", err
		}
	}
	return l.Kubeconfig(access)
}

// Stop stops Probity, then the control plane, and removes what was built. What
// was not started is passed over.
func (l *Local) Stop() error {
	var errs []error
	if l.Probity != nil {
		errs = append(errs, l.Probity.Kill())
	}
	if l.ControlPlane != nil {
		errs = append(errs, l.ControlPlane.Stop())
	}
	if l.dir != "" {
		errs = append(errs, os.RemoveAll(l.dir))
	}
	return errors.Join(errs...)
}
