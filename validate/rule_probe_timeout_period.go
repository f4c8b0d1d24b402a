package validate

import (
	"fmt"
	"strings"
)

func init() {
	register(Rule{
		ID:       "probe-timeout-period",
		Title:    "A probe's timeout is shorter than its period",
		Category: Timing,
		Why: `The kubelet runs one goroutine a probe. A check that hangs until its timeout
holds up the next one, so with ` + "`timeoutSeconds`" + ` over ` + "`periodSeconds`" + ` the probe runs at the
pace of the timeout: ` + "`failureThreshold: 3`" + ` with a period of 2 s and a timeout of 5 s takes 15 s to act, not 6 s.
The numbers in the manifest no longer say what happens.

With a timeout that equals the period they still do. But a check that hangs takes the whole period, and the next one is due the
moment it ends: a container that is slow is asked without a pause, just when it has no time to spare.`,
		Fix: `Lower ` + "`timeoutSeconds`" + ` below ` + "`periodSeconds`" + `, or raise the period. A period of 1 s leaves no
legal timeout, since the shortest is 1 s: raise it.`,
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#configure-probes",
			"https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/prober/worker.go",
		},
		Params: []Param{
			{Name: "allowEqual", Doc: "A timeout equal to the period only warns.", Baseline: false, Strict: false},
		},
		Action: ByProfile{Deny, Deny},
		Likely: ByProfile{Warn, Warn},
		Check:  checkProbeTimeoutPeriod,
	})
}

func checkProbeTimeoutPeriod(p *Pass) {
	for probe := range p.Probes() {
		timeout, period := probe.TimeoutSeconds, probe.PeriodSeconds
		if timeout < period {
			continue
		}
		fix := "Set " + changes("", probe.Probe, p.settled(probe, probe.Probe))
		if period == 1 {
			fix += ": the shortest timeout is 1 s, so a period of 1 s leaves no room for any"
		} else if short := p.shorterTimeout(probe); short != "" {
			fix = "Set " + short + ", or " + strings.TrimPrefix(fix, "Set ")
		}
		text := fmt.Sprintf("is %d with periodSeconds %d; a check that hangs holds up the next one, so the probe acts later than it says", timeout, period)
		if timeout == period {
			text = fmt.Sprintf("is %d, as is periodSeconds; a check that hangs takes the whole period, so a slow container is asked without a pause", timeout)
		}
		p.Report(probe, Report{
			Field:    ".timeoutSeconds",
			Text:     text,
			Fix:      fix + ".",
			Evidence: fmt.Sprintf("timeoutSeconds %d, periodSeconds %d", timeout, period),
			Likely:   timeout == period && p.Bool("allowEqual"),
		})
	}
}

// shorterTimeout says how the probe keeps its period, "" when another rule asks for
// a longer timeout or period.
func (p *Pass) shorterTimeout(probe Probe) string {
	short := *probe.Probe
	short.TimeoutSeconds = short.PeriodSeconds - 1
	to := p.settled(probe, &short)
	if to.PeriodSeconds != probe.PeriodSeconds {
		return ""
	}
	return changes("", probe.Probe, to)
}
