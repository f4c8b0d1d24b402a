// Command demo shows Probity at work on a real Kubernetes control plane on this
// machine, and cleans up.
//
//	go run ./cmd/demo
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/probity-dev/probity/e2e/install"
)

func main() { install.Main("demo", run) }

func run(ctx context.Context) (err error) {
	colour := term.IsTerminal(int(os.Stdout.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	s := &story{out: os.Stdout, colour: colour}
	s.chapter("A Kubernetes control plane on this machine")
	s.tell("The first run compiles it, which takes some minutes. Its nodes only pretend to run containers, and Probity is a process beside it.")
	cluster, err := install.StartLocal(ctx, 2, os.Stdout, "--shutdown-delay=0s")
	if err != nil {
		return interrupted(ctx, err)
	}
	defer func() {
		stopErr := cluster.Stop()
		if stopErr == nil {
			fmt.Fprintln(os.Stdout, "\nStopped the control plane and removed its data.")
		}
		err = errors.Join(err, stopErr)
	}()
	s.cluster = cluster
	if err := s.play(ctx); err != nil {
		return interrupted(ctx, err)
	}
	s.tell("\nThe manifests are in e2e/cmd/demo/manifests. `make cluster` keeps all of this running for your own; README.md tells how to install Probity.")
	return nil
}

// interrupted says what happened when a person ended the demo.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}
