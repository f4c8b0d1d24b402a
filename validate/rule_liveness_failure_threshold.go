package validate

import (
	"fmt"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "liveness-failure-threshold",
		Title:    "A liveness probe fails more than once before it restarts",
		Category: Timing,
		Why: `With ` + "`failureThreshold: 1`" + ` a single lost packet, a pause of the garbage collector or a busy
node restarts a healthy container. Where all replicas share the cause, such as a noisy neighbour or a network blip, all restart at once.
A readiness probe may act on one failure: taking a replica out of rotation is undone by the next check.`,
		Fix:   "Raise `failureThreshold`; the default is 3. To react sooner, shorten the period instead.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/",
		},
		Params: []Param{
			{Name: "min", Doc: "The lowest legal failureThreshold.", Baseline: 2, Strict: 3},
		},
		Action: ByProfile{Deny, Deny},
		Check:  checkLivenessFailureThreshold,
	})
}

func checkLivenessFailureThreshold(p *Pass) {
	least := p.Int("min")
	for probe := range p.Probes(workload.Liveness) {
		have := int(probe.FailureThreshold)
		if have >= least {
			continue
		}
		to := p.settled(probe, probe.Probe)
		fix := "Set " + changes("", probe.Probe, to)
		if to.PeriodSeconds == probe.PeriodSeconds {
			fix += " or more"
		}
		p.Report(probe, Report{
			Field:    ".failureThreshold",
			Text:     fmt.Sprintf("is %d, under %d; one slow moment of the container or its node is then enough for a restart", have, least),
			Fix:      fix + ".",
			Evidence: fmt.Sprintf("failureThreshold %d", have),
		})
	}
}
