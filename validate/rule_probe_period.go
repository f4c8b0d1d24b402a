package validate

import (
	"fmt"
	"time"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "probe-period",
		Title:    "A probe leaves time between its checks",
		Category: Timing,
		Why: `Every check costs the container and the node. An ` + "`exec`" + ` check forks a process in the container each time, which
the runtime prepares and the container's CPU limit pays for: at short periods on many containers the checks themselves make a node busy, and the
checks of a busy node time out. A liveness probe gains nothing from it: it must bear some seconds of silence anyway.`,
		Fix:   "Raise `periodSeconds`. For a quick reaction at short periods use readiness with `httpGet`, `tcpSocket` or `grpc`.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/",
			"https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#define-a-liveness-command",
		},
		Params: []Param{
			{Name: "min", Doc: "The shortest legal period of a liveness probe.", Baseline: 5 * time.Second, Strict: 5 * time.Second},
			{Name: "minExec", Doc: "The shortest legal period of an exec probe of any type.", Baseline: 5 * time.Second, Strict: 10 * time.Second},
		},
		Action: ByProfile{Warn, Warn},
		Check:  checkProbePeriod,
	})
}

func checkProbePeriod(p *Pass) {
	leastLiveness, leastExec := p.Duration("min"), p.Duration("minExec")
	for probe := range p.Probes() {
		var least time.Duration
		var why string
		if probe.Type == workload.Liveness {
			least, why = leastLiveness, "so short a silence is no reason for a restart, and each check costs"
		}
		if probe.Exec != nil && leastExec >= least {
			least, why = leastExec, "each check forks a process in the container"
		}
		if probe.Period() >= least {
			continue
		}
		p.Report(probe, Report{
			Field:    ".periodSeconds",
			Text:     fmt.Sprintf("is %d, under %d; %s", probe.PeriodSeconds, wholeSeconds(least), why),
			Fix:      fmt.Sprintf("Set %s.", changes("", probe.Probe, p.settled(probe, probe.Probe))),
			Evidence: fmt.Sprintf("periodSeconds %d", probe.PeriodSeconds),
		})
	}
}
