package validate

import (
	"fmt"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "liveness-readiness-endpoint",
		Title:    "A liveness probe does not ask a readiness endpoint",
		Category: FailureDomain,
		Why: `A readiness endpoint answers "no" for reasons that pass by themselves: a cache that warms up, a
connection pool that is full, a dependency that is away. The remedy is to send no traffic for a while. A liveness probe that
asks it restarts the container instead, loses what it had warmed up, and does so on every replica that has the same reason.`,
		Fix: `Aim liveness at an endpoint that says only whether the process can still do anything
(` + "`/livez`, `/health/live`, `/actuator/health/liveness`" + `), and keep the readiness endpoint for readiness.`,
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/",
			"https://docs.spring.io/spring-boot/reference/features/spring-application.html#features.spring-application.application-availability",
		},
		Action: ByProfile{Deny, Deny},
		Likely: ByProfile{Warn, Deny},
		Check:  checkLivenessReadinessEndpoint,
	})
}

func checkLivenessReadinessEndpoint(p *Pass) {
	for probe := range p.Probes(workload.Liveness) {
		a := p.Answer(probe)
		if !a.Readiness {
			continue
		}
		p.Report(probe, Report{
			Field: "." + probe.Handler() + askField(probe),
			Text: fmt.Sprintf("asks %s (%s); not being ready passes by itself, and a restart loses what was warm",
				a.Asks, a.Evidence),
			Fix:      instead(a.Instead, "an endpoint that says only whether the process works, such as /livez") + " Keep this one for readiness.",
			Evidence: a.Evidence,
			Likely:   a.Likely,
		})
	}
}

// askField is the field below the handler that says what is asked.
func askField(probe Probe) string {
	switch {
	case probe.HTTPGet != nil:
		return ".path"
	case probe.GRPC != nil:
		return ".service"
	case probe.Exec != nil:
		return ".command"
	default:
		return ""
	}
}

// instead says what to ask: what the product offers, or something of that kind.
func instead(known, kind string) string {
	if known != "" {
		return "Ask " + known + "."
	}
	return "Ask " + kind + "."
}
