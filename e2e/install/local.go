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

// Local is a control plane on this machine, with Probity in it.
type Local struct {
	*controlplane.ControlPlane
	// Probity is nil until it is installed.
	Probity *Probity
	// Repository is the root of the repository that Probity was built from.
	Repository string
	// Binary is the path of the built Probity, in a folder of its own.
	Binary string
	// Admin is the path of an administrator's kubeconfig.
	Admin string

	programs string // the folder of what was built
}

// StartLocal builds what is missing, starts a control plane and installs Probity
// from manifests/base. Progress goes to out. When it fails, what it started is
// stopped.
func StartLocal(ctx context.Context, nodes int, out io.Writer, args ...string) (*Local, error) {
	l, err := StartEmpty(ctx, nodes, out)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(out, "Installing Probity: kubectl apply -k manifests/base.")
	if l.Probity, err = l.Install(ctx, Options{Args: args}); err != nil {
		return nil, errors.Join(err, l.Stop())
	}
	return l, nil
}

// StartEmpty is StartLocal that does not install Probity.
func StartEmpty(ctx context.Context, nodes int, out io.Writer) (*Local, error) {
	programs, err := controlplane.Build(ctx, out)
	if err != nil {
		return nil, err
	}
	l := &Local{}
	if err := l.start(ctx, programs, nodes, out); err != nil {
		return nil, errors.Join(err, l.Stop())
	}
	return l, nil
}

func (l *Local) start(ctx context.Context, programs string, nodes int, out io.Writer) (err error) {
	if l.Repository, err = findRepository(); err != nil {
		return err
	}
	if l.programs, err = os.MkdirTemp("", "probity-build-"); err != nil {
		return err
	}
	fmt.Fprintln(out, "Building Probity.")
	if l.Binary, err = l.Build(ctx, "probity", ".", "./cmd/probity"); err != nil {
		return err
	}
	fmt.Fprintln(out, "Starting etcd, the API server, the controllers and the nodes.")
	if l.ControlPlane, err = controlplane.Start(ctx, controlplane.Options{Programs: programs, Nodes: nodes}); err != nil {
		return err
	}
	l.Admin, err = l.Kubeconfig(l.ControlPlane.Admin())
	return err
}

// Install installs Probity, a further replica when there is one: the built program,
// and manifests/base where the options name neither manifests nor what applies them.
// It is not kept in l; see [Install].
func (l *Local) Install(ctx context.Context, options Options) (*Probity, error) {
	options.Binary = l.Binary
	if options.Manifests == "" && options.Apply == nil {
		options.Manifests = filepath.Join(l.Repository, "manifests", "base")
	}
	return Install(ctx, l.ControlPlane, options)
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
	if l.programs != "" {
		errs = append(errs, os.RemoveAll(l.programs))
	}
	return errors.Join(errs...)
}
