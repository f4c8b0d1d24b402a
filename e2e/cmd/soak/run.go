package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/probity-dev/probity/e2e/measure"
)

// Of so many requests one is a step of a life, and one changes a mode.
const (
	oneLife  = 20
	oneLabel = 400
)

// tally counts requests.
type tally struct {
	mu        sync.Mutex
	latencies []time.Duration // since the last take
	made      int
	errors    []error // the first ones
	failed    int
	late      atomic.Int64 // requests that no client was free for
}

// mostErrors are kept.
const mostErrors = 10

func (t *tally) add(took time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.made++
	t.latencies = append(t.latencies, took)
	if err == nil {
		return
	}
	t.failed++
	if len(t.errors) < mostErrors {
		t.errors = append(t.errors, err)
	}
}

// take returns the latencies since it was called last.
func (t *tally) take() []time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	took := t.latencies
	t.latencies = nil
	return took
}

// run makes requests until the time is over, and watches meanwhile.
func (s *soak) run(ctx context.Context) (err error) {
	if s.first, err = s.cluster.state(ctx); err != nil {
		return err
	}
	fmt.Fprintf(s.stdout, "%d requests a second for %s, by %d clients; the first %s are not judged.\n", s.rate, s.duration, len(s.clients), s.warmUp)
	watching, done := context.WithCancel(ctx)
	defer done()
	var watched error
	var watcher, workers sync.WaitGroup
	watcher.Go(func() { watched = s.watch(watching) })
	turns := make(chan int)
	for i := range s.clients {
		workers.Go(func() {
			for n := range turns {
				begin := time.Now()
				err := s.request(ctx, i, n)
				s.tally.add(time.Since(begin), err)
			}
		})
	}
	s.pace(ctx, turns)
	workers.Wait()
	done()
	watcher.Wait()
	if err := errors.Join(ctx.Err(), watched); err != nil {
		return err
	}
	s.last, err = s.cluster.state(ctx)
	return err
}

// pace hands out turns at the rate, for the time that there is. When no client is free a
// turn is lost, so that what a slow moment costs is not asked of the moments after it.
func (s *soak) pace(ctx context.Context, turns chan<- int) {
	defer close(turns)
	ctx, cancel := context.WithTimeout(ctx, s.duration)
	defer cancel()
	tick := time.NewTicker(time.Second / time.Duration(s.rate))
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		select {
		case turns <- n:
		default:
			s.tally.late.Add(1)
		}
	}
}

func (s *soak) request(ctx context.Context, i, n int) error {
	switch {
	case n%oneLabel == 0:
		return s.clients[i].label(ctx, n/oneLabel)
	case n%oneLife == 0:
		return s.lives[i].next(ctx)
	}
	// Neighbours in the list are alike; a step that has no divisor with its length would
	// do as well, but this one needs no thought.
	k := n * 7919 % len(s.asks)
	got, err := s.clients[i].ask(ctx, s.asks[k])
	if err != nil {
		return fmt.Errorf("%s: %w", s.asks[k], err)
	}
	if want := s.answers[k]; got != want {
		return fmt.Errorf("%s: another answer than before: %s; it was: %s", s.asks[k], got, want)
	}
	return nil
}

// sample is what is seen at one moment.
type sample struct {
	at        time.Duration // since the begin
	replicas  []measure.Process
	latencies []time.Duration // of requests since the sample before
}

// watch takes samples and tells of them.
func (s *soak) watch(ctx context.Context) error {
	tick := time.NewTicker(sampling)
	defer tick.Stop()
	begin, told := time.Now(), time.Duration(0)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		now, err := s.cluster.state(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		at := time.Since(begin)
		s.seen = append(s.seen, sample{at, now.replicas, s.tally.take()})
		if at-told >= s.line {
			s.tell(s.since(told))
			told = at
		}
	}
}

// since returns the samples after a moment.
func (s *soak) since(moment time.Duration) []sample {
	for i, one := range s.seen {
		if one.at > moment {
			return s.seen[i:]
		}
	}
	return nil
}

// tell writes a line of progress.
func (s *soak) tell(period []sample) {
	latencies := latenciesOf(period)
	last := period[len(period)-1]
	fmt.Fprintf(s.stdout, "%6s  %6d requests  %d errors", last.at.Round(time.Second), len(latencies), s.failures())
	if len(latencies) > 0 {
		fmt.Fprintf(s.stdout, "  p50 %s  p99 %s", milliseconds(measure.Quantile(latencies, 0.5)), milliseconds(measure.Quantile(latencies, 0.99)))
	}
	for _, p := range last.replicas {
		fmt.Fprintf(s.stdout, "  | %.1f MiB, heap %.1f MiB, %.0f goroutines", measure.MiB(p.Resident), measure.MiB(p.Heap), p.Goroutines)
	}
	fmt.Fprintln(s.stdout)
}

func (s *soak) failures() int {
	s.tally.mu.Lock()
	defer s.tally.mu.Unlock()
	return s.tally.failed
}

func latenciesOf(period []sample) (all []time.Duration) {
	for _, one := range period {
		all = append(all, one.latencies...)
	}
	return all
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }
