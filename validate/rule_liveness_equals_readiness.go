package validate

import (
	"fmt"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "liveness-equals-readiness",
		Title:    "Liveness and readiness do not act on the same check at the same time",
		Category: FailureDomain,
		Why: `One endpoint cannot say both "send me no traffic" and "restart me". Where both probes ask the same and liveness is
not slower, a container that is merely overloaded is restarted as soon as it is taken out of rotation: its load moves to the others, which
then fail the same check.`,
		Fix: `Give liveness an endpoint of its own that only tells whether the process works. Where there is only one, let liveness
be much slower than readiness: a larger ` + "`failureThreshold`" + `.`,
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/",
			"https://srcco.de/posts/kubernetes-liveness-probes-are-dangerous.html",
		},
		Action:   ByProfile{Warn, Deny},
		Fallback: true,
		Check:    checkLivenessEqualsReadiness,
	})
}

func checkLivenessEqualsReadiness(p *Pass) {
	for probe := range p.Probes(workload.Liveness) {
		readiness := probe.Container.Readiness
		if readiness == nil || readiness.Invalid || probe.WorstWindow() > readiness.WorstWindow() || !sameCheck(probe.Container, probe.Probe, readiness) {
			continue
		}
		seconds := func(w *workload.Probe) int { return int(w.WorstWindow().Seconds()) }
		p.Report(probe, Report{
			Text: fmt.Sprintf("asks the same as readinessProbe and acts within %d s, readiness within %d s; a replica that is only overloaded is then restarted and its load falls on the others",
				seconds(probe.Probe), seconds(readiness)),
			Fix: fmt.Sprintf("Give liveness an endpoint of its own, or failureThreshold %d.", slowerThreshold(probe.Probe, readiness)),
			Evidence: fmt.Sprintf("%s of both probes; liveness %d s, readiness %d s", probe.Handler(),
				seconds(probe.Probe), seconds(readiness)),
		})
	}
}

// slowerThreshold is the failureThreshold that makes liveness act no sooner than
// twice the time that readiness takes.
func slowerThreshold(liveness, readiness *workload.Probe) int {
	period := liveness.EffectivePeriod()
	return int((2*readiness.WorstWindow() + period - 1) / period)
}
