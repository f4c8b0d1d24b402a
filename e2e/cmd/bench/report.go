package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/probity-dev/probity/e2e/measure"
)

// report writes a table. Ratios of creates a second are taken within each round, and
// their median is told, since a machine is never equally fast for long; those of
// latencies are of all rounds together.
func (b *bench) report(out io.Writer) error {
	fmt.Fprintf(out, "%d creates of a Deployment in each namespace, as dry runs, by %d clients in %d rounds.\n", len(b.lanes[0].latencies), b.load.clients, b.rounds)
	fmt.Fprintln(out, "Ratios are to the same Deployment without admission: of creates a second the median of all rounds.")
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tcreates/s\tratio\tp50\tratio\tp99\tratio\tcalls a create\tCPU a call\t")
	for _, l := range b.lanes {
		fmt.Fprintf(table, "%s\t%.0f\t%s\t%s\t%s\t%s\t%s\t%.2f\t%s\t\n", l.name,
			measure.Median(l.rates), ratio(l, rateRatio),
			milliseconds(l.quantile(0.5)), ratio(l, quantileRatio(0.5)),
			milliseconds(l.quantile(0.99)), ratio(l, quantileRatio(0.99)),
			l.calls/float64(len(l.latencies)), l.cpuPerCall())
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, l := range b.lanes {
		if l.least != nil {
			fmt.Fprintf(out, "%s: %.2f of the creates a second with bare handlers, %.2f times their CPU a call.\n",
				l.name, rateRatio(l, l.least), float64(l.cpu)/l.calls/(float64(l.least.cpu)/l.least.calls))
		}
	}
	return b.check()
}

// check fails when another number of webhooks was called than the lane is for: then
// something else was measured.
func (b *bench) check() error {
	for _, l := range b.lanes {
		if want := l.wantCalls * float64(len(l.latencies)); l.calls != want {
			return fmt.Errorf("%s: %.0f calls of webhooks for %d creates, want %.0f", l.name, l.calls, len(l.latencies), want)
		}
	}
	return nil
}

func ratio(l *lane, of func(l, base *lane) float64) string {
	if l.base == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", of(l, l.base))
}

func rateRatio(l, base *lane) float64 {
	ratios := make([]float64, len(l.rates))
	for i, rate := range l.rates {
		ratios[i] = rate / base.rates[i]
	}
	return measure.Median(ratios)
}

func quantileRatio(q float64) func(l, base *lane) float64 {
	return func(l, base *lane) float64 { return float64(l.quantile(q)) / float64(base.quantile(q)) }
}

// quantile is of all creates of the lane.
func (l *lane) quantile(q float64) time.Duration {
	return measure.Quantile(l.latencies, q)
}

func (l *lane) cpuPerCall() string {
	if l.calls == 0 {
		return ""
	}
	return milliseconds(time.Duration(float64(l.cpu) / l.calls))
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1000) }
