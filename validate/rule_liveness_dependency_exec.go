package validate

import "github.com/probity-dev/probity/workload"

func init() {
	register(Rule{
		ID:       "liveness-dependency-exec",
		Title:    "A liveness probe's command stays inside the container",
		Category: FailureDomain,
		Why: `A restart repairs a stuck process; it does not repair another host. A command that reaches a database, a broker, the
state of a cluster or the Kubernetes API fails on every replica at the same moment, so all of them restart while the other side is away, and
start cold against it when it is back. A loopback address alone does not make a command local: ` + "`curl localhost:9200/_cluster/health`" + ` asks a cluster, and
` + "`rabbitmq-diagnostics check_alarms`" + ` asks for alarms of all nodes.`,
		Fix: `Ask only whether this process works: its own port, its own socket, a file that it touches. Check the dependency in readiness
where the service can do nothing without it, or in an alert.`,
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/",
			"https://www.rabbitmq.com/docs/monitoring#health-checks",
			"https://github.com/bitnami/charts/issues/1764",
		},
		Action: ByProfile{Deny, Deny},
		Likely: ByProfile{Warn, Deny},
		Check:  checkLivenessDependencyExec,
	})
}

func checkLivenessDependencyExec(p *Pass) {
	for probe := range p.Probes(workload.Liveness) {
		if probe.Exec != nil {
			p.reportDependency(probe, p.Answer(probe))
		}
	}
}
