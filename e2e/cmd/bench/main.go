// Command bench measures, on a real API server, what Probity's webhooks cost a
// create: beside no admission at all, beside a ValidatingAdmissionPolicy with five
// rules of the same kind, and beside webhooks that look at nothing: less than these
// cost, no webhook can.
//
//	go run ./cmd/bench
//
// Clients create the same Deployment as a dry run, in namespaces that differ in what
// is asked about them. They take turns in short rounds, so that a busy moment of the
// machine hits all alike; read the ratios, not the figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/probity-dev/probity/e2e/install"
)

// load says how many creates are made.
type load struct {
	creates int // in each namespace
	rounds  int // that they are spread over
	clients int // at once
}

func main() {
	if patch, isChild := os.LookupEnv(bareEnv); isChild {
		if err := serveBare(patch); err != nil {
			fmt.Fprintln(os.Stderr, "bench: the bare handlers:", err)
			os.Exit(1)
		}
		return
	}
	var l load
	flag.IntVar(&l.creates, "creates", 2000, "how many Deployments are created in each namespace, as dry runs")
	flag.IntVar(&l.rounds, "rounds", 20, "in how many rounds, between which the namespaces take turns")
	flag.IntVar(&l.clients, "clients", 8, "how many clients create at once, with a connection each")
	flag.Parse()

	install.Main("bench", func(ctx context.Context) error { return run(ctx, l, os.Stdout, os.Stderr) })
}

func run(ctx context.Context, l load, stdout, stderr io.Writer) (err error) {
	if l.rounds < 1 || l.clients < 1 || l.creates < l.rounds*l.clients {
		return errors.New("each client must create something in each round: --creates must be at least --rounds times --clients")
	}
	cluster, err := install.StartLocal(ctx, 0, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Stop()) }()
	b, err := newBench(ctx, cluster, l)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.bare.stop()) }()
	if err := b.run(ctx, stderr); err != nil {
		return err
	}
	return b.report(stdout)
}
