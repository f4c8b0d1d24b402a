package validate

import (
	"fmt"
	"time"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "liveness-window",
		Title:    "A liveness probe acts neither at once nor never",
		Category: Timing,
		Why: `From the fault to the restart pass at most ` + "`failureThreshold × max(periodSeconds, timeoutSeconds) + timeoutSeconds`" + `.
In a few seconds a pause of the garbage collector, a throttled CPU or a busy node looks like a hang, on many replicas at once, and each
restart puts its load on the others. In many minutes the probe is of no use: people are paged sooner.

A long window is often meant for a slow start. A startup probe gives the start its time and leaves liveness quick.`,
		Fix:   "Change `failureThreshold` first: it changes the window and not the load of the checks.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/",
			"https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/prober/worker.go",
		},
		Params: []Param{
			{Name: "min", Doc: "The shortest legal time from the fault to the restart, at worst.", Baseline: 15 * time.Second, Strict: 30 * time.Second},
			{Name: "max", Doc: "The longest.", Baseline: 10 * time.Minute, Strict: 5 * time.Minute},
		},
		Action: ByProfile{Warn, Deny},
		Check:  checkLivenessWindow,
	})
}

func checkLivenessWindow(p *Pass) {
	least, most := p.Duration("min"), p.Duration("max")
	for probe := range p.Probes(workload.Liveness) {
		window := probe.WorstWindow()
		switch {
		case window < least:
			p.Report(probe, Report{
				Text: fmt.Sprintf("restarts the container at most %d s after it stops answering (%s), under %s; a pause of the garbage collector or a busy node is then enough",
					wholeSeconds(window), timing(probe.Probe), span(least)),
				Fix:      fmt.Sprintf("Set %s.", changes("", probe.Probe, p.settled(probe, probe.Probe))),
				Evidence: timing(probe.Probe),
			})
		case window > most:
			p.Report(probe, Report{
				Text: fmt.Sprintf("takes up to %d s to restart a container that stops answering (%s), over %s; until then it serves nobody and looks alive",
					wholeSeconds(window), timing(probe.Probe), span(most)),
				Fix:      fmt.Sprintf("Set %s; give a slow start to a startup probe.", changes("", probe.Probe, p.settled(probe, probe.Probe))),
				Evidence: timing(probe.Probe),
			})
		}
	}
}
