package validate

import (
	"fmt"
	"time"
)

func init() {
	register(Rule{
		ID:       "exec-timeout",
		Title:    "A command that starts slowly has time to do so",
		Category: Timing,
		Why: `An exec probe starts a new process each time. An interpreter, a JVM or a heavy client needs seconds before it asks anything, and much
longer on a node that is busy. Since Kubernetes 1.20 the timeout is enforced for exec probes too, with a default of one second: the probe then fails because the node
is slow, and a liveness probe restarts the container into the same slow node.`,
		Fix:   "Raise `timeoutSeconds`, and `periodSeconds` with it, or ask with something light: the container's own port, a socket, a file.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#configure-probes",
			"https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/1972-kubelet-exec-probe-timeouts",
		},
		Params: []Param{
			{Name: "min", Doc: "The shortest legal timeout of such a command.", Baseline: 5 * time.Second, Strict: 5 * time.Second},
		},
		Action: ByProfile{Warn, Deny},
		Check:  checkExecTimeout,
	})
}

func checkExecTimeout(p *Pass) {
	least := p.Duration("min")
	for probe := range p.Probes() {
		if probe.Exec == nil || probe.Timeout() >= least {
			continue
		}
		heavy := p.Command(probe).Heavy
		if heavy == "" {
			continue
		}
		fix := "Set " + changes("", probe.Probe, p.settled(probe, probe.Probe))
		p.Report(probe, Report{
			Field:    ".timeoutSeconds",
			Text:     fmt.Sprintf("is %d for a command that starts %s; on a busy node that alone takes longer, and the probe fails without anything being wrong", probe.TimeoutSeconds, heavy),
			Fix:      fix + ", or ask with something light.",
			Evidence: fmt.Sprintf("timeoutSeconds %d, %s", probe.TimeoutSeconds, heavy),
		})
	}
}
