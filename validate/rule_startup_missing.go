package validate

import (
	"fmt"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "startup-missing",
		Title:    "A liveness probe waits for a startup probe",
		Category: Presence,
		Why: `Without a startup probe liveness judges the start as it judges the work. The day the start takes longer, with a
cold cache, a migration or a busy node, every replica is killed while it starts, and a restart makes none of that better.

What runs to an end is left out, as Probity injects nothing there: Jobs, CronJobs, and Pods that are not always restarted.`,
		Fix:   "Add a startup probe with the same check and a budget of some minutes. Where Probity injects startup probes it does this by itself, and the rule is silent.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#define-startup-probes",
		},
		Action: ByProfile{Off, Warn},
		Check:  checkStartupMissing,
	})
}

func checkStartupMissing(p *Pass) {
	if p.InjectsStartup() || p.Ends() {
		return
	}
	for probe := range p.Probes(workload.Liveness) {
		if probe.Container.Startup != nil {
			continue
		}
		p.Report(probe, Report{
			Text:     fmt.Sprintf("has no startupProbe before it; a start of more than %d s may be killed, and so may the next", wholeSeconds(probe.StartKill())),
			Fix:      fmt.Sprintf("Add %s.", startupAdvice(probe.Probe)),
			Evidence: "no startupProbe",
		})
	}
}
