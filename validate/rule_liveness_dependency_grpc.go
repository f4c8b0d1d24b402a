package validate

import "github.com/probity-dev/probity/workload"

func init() {
	register(Rule{
		ID:       "liveness-dependency-grpc",
		Title:    "A liveness probe's gRPC service does not name a dependency",
		Category: FailureDomain,
		Why: `The gRPC health protocol has one status a service name, and servers use names of their own to
report on dependencies. A liveness probe that asks for such a name restarts the container when the dependency is away, on every replica at once.`,
		Fix: "Leave `service` empty, which asks for the server as a whole, or name a service that stands for this process only.",
		Sources: []string{
			"https://github.com/grpc/grpc/blob/master/doc/health-checking.md",
			"https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#define-a-grpc-liveness-probe",
		},
		Since:  "0.1.0",
		Action: ByProfile{Deny, Deny},
		Likely: ByProfile{Warn, Deny},
		Check:  checkLivenessDependencyGRPC,
	})
}

func checkLivenessDependencyGRPC(p *Pass) {
	for probe := range p.Probes(workload.Liveness) {
		if probe.GRPC != nil {
			p.reportDependency(probe, p.Answer(probe))
		}
	}
}
