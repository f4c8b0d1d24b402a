// Command soak keeps Probity busy for a while on a real API server, and finds out
// whether it stays as it was: no errors, no growth, no slower answers.
//
//	go run ./cmd/soak
//
// Two replicas stand behind a balancer. Clients send objects of all kinds and sizes,
// with and without faults, into namespaces of every mode, at a steady rate, and some of
// them live: they are created, changed, scaled and deleted, so that budgets come and go.
// It needs Linux. Other work on the machine shows in latencies; leave it alone meanwhile.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/probity-dev/probity/e2e/install"
)

// plan says what is done.
type plan struct {
	duration time.Duration // in which requests are made
	warmUp   time.Duration // of it, that is not judged
	line     time.Duration // between lines of progress
	rate     int           // requests a second
	clients  int           // at once
}

// sampling is how often Probity is asked for its metrics.
const sampling = 2 * time.Second

func main() {
	var p plan
	flag.DurationVar(&p.duration, "duration", 10*time.Minute, "how long requests are made")
	flag.DurationVar(&p.warmUp, "warm-up", 2*time.Minute, "how much of that is not judged")
	flag.DurationVar(&p.line, "line", 30*time.Second, "time between lines of progress")
	flag.IntVar(&p.rate, "rate", 200, "requests a second")
	flag.IntVar(&p.clients, "clients", 16, "how many clients make them at once, with a connection each; more than they manage is not made up for")
	flag.Parse()

	install.Main("soak", func(ctx context.Context) error { return run(ctx, p, os.Stdout, os.Stderr) })
}

func (p plan) check() error {
	if p.clients < 1 || p.rate < 1 || p.line < sampling {
		return fmt.Errorf("--clients and --rate must be at least 1, and --line at least %s", sampling)
	}
	if judged := p.duration - p.warmUp; judged < 2*p.line {
		return errors.New("halves are compared: --duration less --warm-up must be two times --line at least")
	}
	return nil
}

func run(ctx context.Context, p plan, stdout, stderr io.Writer) (err error) {
	if err := p.check(); err != nil {
		return err
	}
	c, err := startCluster(ctx, stderr)
	if err != nil {
		return err
	}
	defer func() {
		if stopErr := c.stop(); err == nil {
			err = stopErr
		}
	}()
	s, err := newSoak(ctx, c, p, stdout, stderr)
	if err != nil {
		return err
	}
	if err := s.learn(ctx); err != nil {
		return err
	}
	if err := s.run(ctx); err != nil {
		return err
	}
	return s.report()
}
