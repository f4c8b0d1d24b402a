package validate

import (
	"fmt"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "undifferentiated-health",
		Title:    "Liveness asks an endpoint that is made for it",
		Category: FailureDomain,
		Why: `An endpoint called ` + "`/health`" + ` may be anything, and tends to grow: somebody adds the database "to the health check", and
nobody remembers that liveness restarts on it. An endpoint whose name says liveness keeps its meaning.`,
		Fix:   "Serve a dedicated endpoint, such as `/livez`, that asks nothing but this process, and aim liveness at it.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/reference/using-api/health-checks/",
		},
		Action:   ByProfile{Off, Warn},
		Fallback: true,
		Check:    checkUndifferentiatedHealth,
	})
}

func checkUndifferentiatedHealth(p *Pass) {
	for probe := range p.Probes(workload.Liveness) {
		if probe.HTTPGet == nil {
			continue
		}
		a := p.Answer(probe)
		if !a.Generic {
			continue
		}
		p.Report(probe, Report{
			Field:    ".httpGet.path",
			Text:     fmt.Sprintf("asks %s (%s); what is added to it later %s when it fails", a.Asks, a.Evidence, restarted(p.Workload)),
			Fix:      "Serve an endpoint made for liveness, such as /livez, that asks nothing but this process.",
			Evidence: a.Evidence,
		})
	}
}
