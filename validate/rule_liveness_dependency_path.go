package validate

import (
	"fmt"

	"github.com/probity-dev/probity/validate/dependency"
	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "liveness-dependency-path",
		Title:    "A liveness probe's HTTP path does not ask about others",
		Category: FailureDomain,
		Why: `Liveness has one consumer: the kubelet, which restarts the container. A restart repairs a stuck
process; it does not repair a database. An endpoint that includes the database, the broker or the state of a cluster fails on every replica at
the same moment, so one failover of eight seconds becomes a restart of all replicas, a cold start of all of them against a system that has just come
back, and an outage of many minutes.`,
		Fix: `Ask an endpoint that tells only of this process. Let readiness ask about the dependency where the service can do nothing
without it, and let an alert tell people.`,
		Since: "0.1.0",
		Sources: []string{
			"https://docs.spring.io/spring-boot/reference/actuator/endpoints.html#actuator.endpoints.kubernetes-probes",
			"https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/",
			"https://microprofile.io/specifications/microprofile-health/",
		},
		Action: ByProfile{Deny, Deny},
		Likely: ByProfile{Warn, Deny},
		Check:  checkLivenessDependencyPath,
	})
}

func checkLivenessDependencyPath(p *Pass) {
	for probe := range p.Probes(workload.Liveness) {
		if probe.HTTPGet != nil {
			p.reportDependency(probe, p.Answer(probe))
		}
	}
}

// reportDependency notes a liveness probe whose answer depends on others. What
// names itself a readiness endpoint is liveness-readiness-endpoint's.
func (p *Pass) reportDependency(probe Probe, a dependency.Answer) {
	if a.Scope != dependency.Shared || a.Readiness {
		return
	}
	likely := ""
	if a.Likely {
		likely = "most likely "
	}
	p.Report(probe, Report{
		Field:    "." + probe.Handler() + askField(probe),
		Text:     fmt.Sprintf("%sasks %s (%s); a restart cannot repair that, so its outage %s", likely, a.Asks, a.Evidence, restarted(p.Workload)),
		Fix:      instead(a.Instead, "only whether this process works") + " Check the rest in readiness or in an alert.",
		Evidence: a.Evidence,
		Likely:   a.Likely,
	})
}

// restarted says whom a failing liveness probe hits. A bare Pod and the pods of a Job
// are no replicas of each other, and are not always started again.
func restarted(w *workload.Workload) string {
	switch w.Ref.Kind {
	case "Pod", "Job", "CronJob":
		return "kills the container"
	default:
		return "restarts every replica"
	}
}
