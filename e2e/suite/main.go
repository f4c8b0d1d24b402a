// Package suite is what the end-to-end tests of all packages do in one way: they
// share a control plane, take a namespace each, wait for what comes a moment later,
// and make requests while something happens that nobody may notice.
package suite

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/probity-dev/probity/e2e/install"
)

// Setup says what the tests of a package share. Starting it takes longer than most of
// them.
type Setup struct {
	// Nodes is how many the control plane has.
	Nodes int
	// Args returns arguments of Probity, beside the one that has it stop at once. Files
	// that they name may be written into dir, which goes when the tests have ended. Nil
	// means none.
	Args func(dir string) ([]string, error)
	// Last is called after the tests, while everything still runs. It may be nil.
	Last func() error
}

// Main is the body of TestMain: it starts a control plane with Probity in it, which
// the tests find in local, runs them, stops it and exits.
func Main(m *testing.M, local **install.Local, setup Setup) {
	flag.Parse() // before all else, so that a wrong flag is told at once
	code, err := setup.run(m, local)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

func (s Setup) run(m *testing.M, local **install.Local) (code int, err error) {
	dir, err := os.MkdirTemp("", "probity-suite-")
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	args := []string{"--shutdown-delay=0s"}
	if s.Args != nil {
		more, err := s.Args(dir)
		if err != nil {
			return 1, err
		}
		args = append(args, more...)
	}
	if *local, err = install.StartLocal(context.Background(), s.Nodes, os.Stderr, args...); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, (*local).Stop()) }()
	code = m.Run()
	if s.Last != nil {
		err = s.Last()
	}
	return code, err
}
