// Command footprint measures, on a real API server, what Probity takes while it stands
// there: the time from its start to its readiness, and its memory, in a cluster without
// workloads and in one with many.
//
//	go run ./cmd/footprint
//
// It needs Linux, some 3 GB of memory and, with the numbers that are the default, some
// ten minutes.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/probity-dev/probity/e2e/install"
)

// size says of what how much there is.
type size struct {
	namespaces  int
	deployments int // in all namespaces
	starts      int // that are measured, in each cluster
	creates     int // that Probity judges, before memory is measured once more
	settle      time.Duration
}

// clients are how many make objects at once.
const clients = 8

func main() {
	var s size
	flag.IntVar(&s.namespaces, "namespaces", 2000, "how many namespaces the large cluster has, all in mode enforce")
	flag.IntVar(&s.deployments, "deployments", 10_000, "how many Deployments the large cluster has, all with a disruption budget")
	flag.IntVar(&s.starts, "starts", 9, "how many starts are measured, in each cluster")
	flag.IntVar(&s.creates, "creates", 5000, "how many creates Probity judges before its memory is measured once more")
	flag.DurationVar(&s.settle, "settle", time.Minute, "how long memory may settle before it is measured")
	flag.Parse()

	install.Main("footprint", func(ctx context.Context) error { return run(ctx, s, os.Stdout, os.Stderr) })
}

func run(ctx context.Context, s size, stdout, stderr io.Writer) (err error) {
	if err := s.check(); err != nil {
		return err
	}
	// It may end at once: nobody is being answered when it is told to.
	cluster, err := install.StartLocal(ctx, 0, stderr, "--shutdown-delay=0s")
	if err != nil {
		return err
	}
	defer func() {
		if stopErr := cluster.Stop(); err == nil {
			err = stopErr
		}
	}()
	f, err := newFootprint(cluster, s, stderr)
	if err != nil {
		return err
	}
	if err := f.measure(ctx); err != nil {
		return err
	}
	return f.report(stdout)
}

func (s size) check() error {
	if s.namespaces < 1 || s.deployments < s.namespaces || s.starts < 1 || s.creates < clients {
		return fmt.Errorf("--namespaces and --starts must be at least 1, --deployments at least --namespaces, --creates at least %d", clients)
	}
	return nil
}
