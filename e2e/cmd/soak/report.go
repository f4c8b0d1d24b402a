package main

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/probity-dev/probity/e2e/measure"
)

// slower is how much greater p99 may be in the second half than in the first.
const slower = 1.5

// gauge is something of a process that must not grow.
type gauge struct {
	name string
	of   func(measure.Process) float64
	unit func(float64) string
	// swing is what may come and go: how many requests there just are, and when Go gives
	// memory back.
	swing float64
}

func gauges() []gauge {
	mib := func(v float64) string { return fmt.Sprintf("%.1f MiB", measure.MiB(v)) }
	number := func(v float64) string { return fmt.Sprintf("%.0f", v) }
	return []gauge{
		{"resident memory", func(p measure.Process) float64 { return p.Resident }, mib, 3 << 20},
		{"live heap", func(p measure.Process) float64 { return p.Heap }, mib, 1 << 20},
		{"goroutines", func(p measure.Process) float64 { return p.Goroutines }, number, 10},
		{"open files", func(p measure.Process) float64 { return p.Handles }, number, 5},
	}
}

// report tells what was found, and fails when it is not as it should be.
func (s *soak) report() error {
	judged := s.since(s.warmUp)
	verdicts := []error{s.mistakes(), s.growth(judged), s.slowing(judged)}
	return errors.Join(verdicts...)
}

// mistakes tells of requests.
func (s *soak) mistakes() error {
	t := &s.tally
	failed := s.last.failed - s.first.failed
	fmt.Fprintf(s.stdout, "\n%d requests, %d errors, %d turns for which no client was free; reviews answered:", t.made, t.failed, t.late.Load())
	for i := range s.last.reviews {
		fmt.Fprintf(s.stdout, " %.0f", s.last.reviews[i]-s.first.reviews[i])
	}
	fmt.Fprintf(s.stdout, "; calls that failed: %.0f\n", failed)
	var errs []error
	if t.failed > 0 {
		errs = append(errs, fmt.Errorf("%d requests went otherwise than they must, the first ones:\n%w", t.failed, errors.Join(t.errors...)))
	}
	if failed != 0 {
		errs = append(errs, fmt.Errorf("%.0f calls of Probity failed", failed))
	}
	return errors.Join(errs...)
}

// growth judges by the slope of all samples, times their duration: unlike the
// difference between two halves it is all of the growth, and unlike a fit of least
// squares it does not follow a moment in which the machine was busy. What may be is a
// fixed swing and a fiftieth, so that a leak of some ten bytes a request is found.
func (s *soak) growth(judged []sample) error {
	at := make([]float64, len(judged))
	for i, one := range judged {
		at[i] = one.at.Seconds()
	}
	table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "after the warm-up\tmedian\tleast\tmost\tgrown by\tallowed\t")
	var errs []error
	for r := range s.cluster.replicas {
		for _, g := range gauges() {
			values := make([]float64, len(judged))
			for i, one := range judged {
				values[i] = g.of(one.replicas[r])
			}
			median := measure.Median(values)
			grown := measure.Slope(at, values) * (at[len(at)-1] - at[0])
			allowed := g.swing + median/50
			fmt.Fprintf(table, "replica %d, %s\t%s\t%s\t%s\t%s\t%s\t\n", r+1, g.name,
				g.unit(median), g.unit(measure.Quantile(values, 0)), g.unit(measure.Quantile(values, 1)), g.unit(grown), g.unit(allowed))
			if grown > allowed {
				errs = append(errs, fmt.Errorf("%s of replica %d grew by %s, more than %s", g.name, r+1, g.unit(grown), g.unit(allowed)))
			}
		}
	}
	return errors.Join(append(errs, table.Flush())...)
}

// slowing compares the halves by the medians of each period's p99, which one slow moment
// does not move.
func (s *soak) slowing(judged []sample) error {
	begin, end := judged[0].at, judged[len(judged)-1].at
	half := begin + (end-begin)/2
	first, second := s.quantiles(begin, half), s.quantiles(half, end)
	if len(first) == 0 || len(second) == 0 {
		return errors.New("no requests were made in one of the halves")
	}
	was, is := measure.Median(first), measure.Median(second)
	ratio := float64(is) / float64(was)
	fmt.Fprintf(s.stdout, "p99, median of each %s: %s in the first half, %s in the second, ratio %.2f, allowed %.2f\n",
		s.line, milliseconds(was), milliseconds(is), ratio, slower)
	if ratio > slower {
		return fmt.Errorf("p99 of the second half is %.2f times that of the first, more than %.2f", ratio, slower)
	}
	return nil
}

// quantiles returns p99 of each period between two moments.
func (s *soak) quantiles(from, to time.Duration) (all []time.Duration) {
	var latencies []time.Duration
	next := from + s.line
	for _, one := range s.since(from) {
		if one.at > to {
			break
		}
		latencies = append(latencies, one.latencies...)
		if one.at < next || len(latencies) == 0 {
			continue
		}
		all = append(all, measure.Quantile(latencies, 0.99))
		latencies, next = nil, next+s.line
	}
	if len(all) == 0 && len(latencies) > 0 {
		all = append(all, measure.Quantile(latencies, 0.99))
	}
	return all
}
