package validate

import (
	"fmt"
	"time"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "liveness-before-readiness",
		Title:    "Readiness acts before liveness does",
		Category: Timing,
		Why: `A replica in trouble should lose its traffic first and its life last. When the liveness window is shorter,
the container is killed with its requests in flight, and a pause that readiness would have bridged becomes a restart; under load the
other replicas get the traffic of the one that starts, and follow it.

The same holds at the start. A readiness probe that begins later says how long the start takes; a liveness probe that begins sooner, with
no startup probe to hold it off, counts that time as failure.`,
		Fix:   "Raise the liveness probe's `failureThreshold` or lower the readiness probe's. For the start, add a startup probe: it holds both off.",
		Since: "0.1.0",
		Sources: []string{
			"https://github.com/kubernetes/ingress-nginx/issues/5671",
			"https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/",
		},
		Action: ByProfile{Warn, Deny},
		Check:  checkLivenessBeforeReadiness,
	})
}

func checkLivenessBeforeReadiness(p *Pass) {
	for probe := range p.Probes(workload.Liveness) {
		readiness := probe.Container.Readiness
		if readiness == nil || readiness.Invalid {
			continue
		}
		live, ready := probe.WorstWindow(), readiness.WorstWindow()
		// A readiness check that may take longer by itself, as one that asks a
		// dependency does, is no reason to wait with liveness.
		if live < ready && probe.Threshold() < readiness.Threshold() {
			p.Report(probe, Report{
				Text: fmt.Sprintf("restarts the container within %d s (%s), before readinessProbe takes the replica out of rotation in %d s (%s); a pause that readiness would have bridged becomes a restart",
					wholeSeconds(live), timing(probe.Probe), wholeSeconds(ready), timing(readiness)),
				Fix:      fmt.Sprintf("Set %s.", readinessFirst(probe.Probe, readiness)),
				Evidence: fmt.Sprintf("liveness %d s, readiness %d s", wholeSeconds(live), wholeSeconds(ready)),
			})
		}
		if probe.Container.Startup != nil || p.InjectsStartup() || probe.InitialDelaySeconds >= readiness.InitialDelaySeconds {
			continue
		}
		p.Report(probe, Report{
			Field: ".initialDelaySeconds",
			Text: fmt.Sprintf("is %d, before readinessProbe's %d, and no startup probe holds it off; a start as slow as readiness expects counts as failure",
				probe.InitialDelaySeconds, readiness.InitialDelaySeconds),
			Fix:      laterStart(probe.Probe, readiness),
			Evidence: fmt.Sprintf("initialDelaySeconds %d, readiness %d", probe.InitialDelaySeconds, readiness.InitialDelaySeconds),
		})
	}
}

// readinessFirst says how readiness comes to act no later than liveness: by a
// slower liveness, while it stays within reason, by a quicker readiness, or by
// both.
func readinessFirst(live, ready *workload.Probe) string {
	const (
		patient    = time.Minute
		longEnough = 5 * time.Minute
	)
	slower := fmt.Sprintf("failureThreshold %d", longerWindow(live, ready.WorstWindow()))
	quick := shorterWindow(ready, live.WorstWindow(), 1)
	easy := quick.PeriodSeconds == ready.PeriodSeconds && quick.WorstWindow() <= live.WorstWindow()
	quicker := changes(readinessField, ready, quick)
	switch fits := ready.WorstWindow() <= longEnough; {
	case fits && easy:
		return slower + ", or " + quicker
	case fits:
		return slower
	case easy:
		return quicker
	}
	target := max(patient, live.WorstWindow())
	quicker = changes(readinessField, ready, shorterWindow(ready, target, 1))
	if live.WorstWindow() >= target {
		return quicker
	}
	return fmt.Sprintf("failureThreshold %d, with %s", longerWindow(live, target), quicker)
}

// readinessField stands before the fields of the other probe.
const readinessField = "readinessProbe."

func laterStart(live, ready *workload.Probe) string {
	fix := "Add " + startupAdvice(live)
	if ready.InitialDelaySeconds <= shortDelay {
		fix += fmt.Sprintf(", or set initialDelaySeconds %d", ready.InitialDelaySeconds)
	}
	return fix + "."
}
