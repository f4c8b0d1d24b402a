package validate

import (
	"fmt"
	"time"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "probe-grace-period",
		Title:    "A hung container is not given a long grace period",
		Category: Timing,
		Why: `A long ` + "`terminationGracePeriodSeconds`" + ` lets a healthy container finish its work. A container that a probe kills
has hung: it will not react to SIGTERM, and still keeps its place for all of that time before SIGKILL. Liveness and startup probes can have a
grace period of their own.`,
		Fix:   "Set `terminationGracePeriodSeconds` on the probe itself; the pod's own stays for rollouts and drains.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#probe-level-terminationgraceperiodseconds",
			"https://github.com/kubernetes/enhancements/issues/2238",
		},
		Params: []Param{
			{Name: "max", Doc: "The longest legal time between SIGTERM and SIGKILL after a failed probe.", Baseline: 2 * time.Minute, Strict: 2 * time.Minute},
		},
		Action: ByProfile{Off, Warn},
		Check:  checkProbeGracePeriod,
	})
}

func checkProbeGracePeriod(p *Pass) {
	most := int64(p.Duration("max") / time.Second)
	for probe := range p.Probes(workload.Liveness, workload.Startup) {
		grace, whose := probe.TerminationGracePeriodSeconds, "is"
		if grace == nil {
			grace, whose = p.Workload.Pod.GracePeriod, "is absent and the pod's is"
		}
		if grace == nil || *grace <= most {
			continue
		}
		p.Report(probe, Report{
			Field:    ".terminationGracePeriodSeconds",
			Text:     fmt.Sprintf("%s %d, over %d; a hung container does not react to SIGTERM and keeps its place for all of that time", whose, *grace, most),
			Fix:      fmt.Sprintf("Set terminationGracePeriodSeconds %d on the probe.", min(workload.DefaultGracePeriodSeconds, most)),
			Evidence: fmt.Sprintf("terminationGracePeriodSeconds %d", *grace),
		})
	}
}
