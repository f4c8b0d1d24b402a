package validate

import (
	"time"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "startup-budget",
		Title:    "A startup probe gives the start its time, and no more than the rollout has",
		Category: Timing,
		Why: `A container that has not passed its startup probe within ` + "`initialDelaySeconds + failureThreshold × periodSeconds`" + ` is
killed, and starts again from nothing. A budget of seconds is spent by a cold image cache or a busy node, and the container never comes up; one
shorter than what liveness bears makes the start stricter than the work. With one second, or a single failure, the first failed check kills.

A budget of an hour hides a container that will never start. One over the Deployment's ` + "`progressDeadlineSeconds`" + ` (600 by default)
has the rollout reported as failed, or rolled back by a tool, while the container may still start.`,
		Fix:   "Change `failureThreshold`: a generous budget costs nothing, since the probe ends with its first passed check. A start of more than ten minutes needs a longer `progressDeadlineSeconds` too.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#define-startup-probes",
			"https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#progress-deadline-seconds",
		},
		Params: []Param{
			{Name: "min", Doc: "The shortest legal budget.", Baseline: 10 * time.Second, Strict: 10 * time.Second},
			{Name: "max", Doc: "The longest.", Baseline: 30 * time.Minute, Strict: 30 * time.Minute},
		},
		Action: ByProfile{Deny, Deny}, // a budget of one second
		Likely: ByProfile{Warn, Deny},
		Check:  checkStartupBudget,
	})
}

func checkStartupBudget(p *Pass) {
	for probe := range p.Probes(workload.Startup) {
		b := startBudget{Probe: probe, least: p.Duration("min"), most: p.Duration("max")}
		b.deadline, b.hasDeadline = progressDeadline(p.Workload)
		b.injected = injectedStartup(&p.Workload.Pod, probe.Container.Name)
		if r, broken := b.judge(); broken {
			r.Evidence = timing(probe.Probe)
			p.Report(probe, r)
		}
	}
}
