package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/probity-dev/probity/e2e/measure"
)

// What is promised.
const (
	mostStart = time.Second // without the API server
	mostIdle  = 40 << 20    // bytes
	mostFull  = 100 << 20   // bytes
)

// report writes a table, and fails when a promise is not kept.
func (f *footprint) report(out io.Writer) error {
	full := fmt.Sprintf("%d namespaces, %d Deployments", f.namespaces, f.deployments)
	fmt.Fprintf(out, "Starts are medians of %d: from exec to readiness, and without the time in which the API server worked on a request of Probity's.\n", f.starts)
	fmt.Fprintf(out, "Memory is of the leader, which audits and makes budgets, after %s to settle.\n\n", f.settle)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "start to ready\tin all\tslowest\tits own\tallowed\t")
	startLine(table, "no workloads", f.idleStarts)
	startLine(table, full, f.fullStarts)
	fmt.Fprintln(table, "\t\t\t\t\t")
	fmt.Fprintln(table, "memory\tresident\tpeak\tlive heap\tallowed\t")
	memoryLine(table, "no workloads", f.idle, mostIdle)
	memoryLine(table, full+", which came one by one", f.grown, mostFull)
	memoryLine(table, "the same, after a start that finds them", f.full, mostFull)
	memoryLine(table, fmt.Sprintf("and after %d creates", f.creates), f.loaded, mostFull)
	if err := table.Flush(); err != nil {
		return err
	}
	return f.promises()
}

func startLine(table io.Writer, name string, all []start) {
	var took, own []time.Duration
	for _, s := range all {
		took, own = append(took, s.took), append(own, s.own())
	}
	ms := func(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }
	fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t\n", name, ms(measure.Median(took)), ms(measure.Quantile(took, 1)), ms(measure.Median(own)), ms(mostStart))
}

func memoryLine(table io.Writer, name string, m memory, most float64) {
	mib := func(bytes float64) string { return fmt.Sprintf("%.1f MiB", measure.MiB(bytes)) }
	fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t\n", name, mib(m.resident), mib(m.peak), mib(m.heap), mib(most))
}

// promises returns those that are not kept.
func (f *footprint) promises() error {
	var errs []error
	for name, all := range map[string][]start{"no workloads": f.idleStarts, "all workloads": f.fullStarts} {
		var own []time.Duration
		for _, s := range all {
			own = append(own, s.own())
		}
		if got := measure.Median(own); got > mostStart {
			errs = append(errs, fmt.Errorf("start with %s: %s of its own, more than %s", name, got, mostStart))
		}
	}
	for _, m := range []struct {
		name string
		memory
		most float64
	}{
		{"no workloads", f.idle, mostIdle},
		{"workloads that came one by one", f.grown, mostFull},
		{"workloads found at the start", f.full, mostFull},
		{"workloads found at the start, after creates", f.loaded, mostFull},
	} {
		if m.resident > m.most {
			errs = append(errs, fmt.Errorf("memory with %s: %.1f MiB, more than %.0f", m.name, measure.MiB(m.resident), measure.MiB(m.most)))
		}
	}
	return errors.Join(errs...)
}
