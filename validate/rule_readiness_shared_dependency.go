package validate

import (
	"fmt"

	"github.com/probity-dev/probity/validate/dependency"
	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "readiness-shared-dependency",
		Title:    "Readiness does not take all replicas out at once",
		Category: FailureDomain,
		Why: `A readiness probe that asks what all replicas share fails on all of them together. The Service then has no
endpoint left, and callers get connection errors instead of the answers that the service could still give: cached ones, partial ones, or a clear error.`,
		Fix: `Fail open: report ready while the dependency is away and answer requests as well as possible. Where the service can do nothing without
it, keep a floor: let readiness fail only after several minutes, or let the load balancer panic-route when too few endpoints are left.`,
		Since: "0.1.0",
		Sources: []string{
			"https://aws.amazon.com/builders-library/implementing-health-checks/",
			"https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/load_balancing/panic_threshold",
		},
		Action: ByProfile{Off, Warn},
		Likely: ByProfile{Off, Warn},
		Check:  checkReadinessSharedDependency,
	})
}

func checkReadinessSharedDependency(p *Pass) {
	for probe := range p.Probes(workload.Readiness) {
		a := p.Answer(probe)
		if a.Scope != dependency.Shared {
			continue
		}
		who := "which all replicas share; when it is away all of them leave the Service at once"
		if p.Workload.Ref.Kind == "Pod" {
			who = "which is not this pod's own; when it is away the pod leaves the Service"
		}
		p.Report(probe, Report{
			Field:    "." + probe.Handler() + askField(probe),
			Text:     fmt.Sprintf("asks %s (%s), %s", a.Asks, a.Evidence, who),
			Fix:      "Fail open while it is away and answer what can be answered, or keep a floor of endpoints in the load balancer.",
			Evidence: a.Evidence,
			Likely:   a.Likely,
		})
	}
}
