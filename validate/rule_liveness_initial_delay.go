package validate

import (
	"fmt"
	"time"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "liveness-initial-delay",
		Title:    "A slow start is a startup probe's matter, not a delay's",
		Category: Timing,
		Why: `A delay is a guess that is wrong both ways. A container that is up in five seconds stays unwatched for the rest of
it, after every restart again; one that needs a second more than the delay and the window is killed while it starts, over and over. A startup
probe ends with its first passed check, so its budget may be generous.`,
		Fix:   "Add a startup probe with the same check and remove `initialDelaySeconds`. Where Probity injects startup probes it does this by itself, and the rule is silent.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#define-startup-probes",
			"https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/950-liveness-probe-holdoff",
		},
		Params: []Param{
			{Name: "max", Doc: "The longest legal delay without a startup probe.", Baseline: time.Minute, Strict: 30 * time.Second},
		},
		Action: ByProfile{Warn, Deny},
		Check:  checkLivenessInitialDelay,
	})
}

func checkLivenessInitialDelay(p *Pass) {
	if p.InjectsStartup() {
		return
	}
	most := p.Duration("max")
	for probe := range p.Probes(workload.Liveness) {
		if probe.Container.Startup != nil || probe.InitialDelay() <= most {
			continue
		}
		p.Report(probe, Report{
			Field: ".initialDelaySeconds",
			Text: fmt.Sprintf("is %d without a startup probe, over %d; a container that is up sooner stays unwatched, and one that needs longer is killed while it starts",
				probe.InitialDelaySeconds, wholeSeconds(most)),
			Fix:      fmt.Sprintf("Add %s, and remove initialDelaySeconds.", startupAdvice(probe.Probe)),
			Evidence: fmt.Sprintf("initialDelaySeconds %d", probe.InitialDelaySeconds),
		})
	}
}
