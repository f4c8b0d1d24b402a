package validate

import (
	"fmt"
	"time"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "readiness-window",
		Title:    "A readiness probe takes a broken replica out of rotation soon",
		Category: Timing,
		Why: `Requests go to a replica until its readiness probe has failed ` + "`failureThreshold`" + ` times. All that time
its share of the traffic fails. Unlike a restart this is undone by one passed check, so readiness may be quick.`,
		Fix:   "Lower `failureThreshold`, down to 1 if need be, or check more often.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/#readiness-probe",
		},
		Params: []Param{
			{Name: "max", Doc: "The longest legal time from the fault to the replica out of rotation, at worst.", Baseline: 2 * time.Minute, Strict: time.Minute},
		},
		Action: ByProfile{Off, Warn},
		Check:  checkReadinessWindow,
	})
}

func checkReadinessWindow(p *Pass) {
	most := p.Duration("max")
	for probe := range p.Probes(workload.Readiness) {
		window := probe.WorstWindow()
		if window <= most {
			continue
		}
		p.Report(probe, Report{
			Text: fmt.Sprintf("keeps a replica that stops answering in rotation for up to %d s (%s), over %s; its share of the requests fails until then",
				wholeSeconds(window), timing(probe.Probe), span(most)),
			Fix:      fmt.Sprintf("Set %s.", changes("", probe.Probe, p.settled(probe, probe.Probe))),
			Evidence: timing(probe.Probe),
		})
	}
}
