package validate

import (
	"strings"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "readiness-missing",
		Title:    "A workload that serves has a readiness probe",
		Category: Presence,
		Why: `Without a readiness probe a container is ready the moment its process starts. A rollout sends traffic to replicas that
still start and goes on to replace the next ones; a version that never works replaces all that do.`,
		Fix: `Add a readiness probe to the container that takes the requests. Ports for metrics, profiling or health alone do not count as serving, and a
readiness probe of any container, or a readiness gate, is enough: the pod is ready when all of them are.`,
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/#readiness-probe",
		},
		Action: ByProfile{Off, Warn},
		Check:  checkReadinessMissing,
	})
}

func checkReadinessMissing(p *Pass) {
	if p.Ends() || p.Workload.Pod.ReadinessGates > 0 {
		return
	}
	var serves *workload.Container
	for c := range p.Containers() {
		if c.Readiness != nil {
			return
		}
		if serves == nil && servingPort(c) != "" {
			serves = c
		}
	}
	if serves == nil {
		return
	}
	port := servingPort(serves)
	p.ReportContainer(serves, Report{
		Text:     "serves port " + port + " and has no readinessProbe; it gets requests before it can answer, and a rollout goes on past replicas that do not work",
		Fix:      "Add a readinessProbe on port " + port + ".",
		Evidence: "port " + port + ", no readinessProbe",
	})
}

// servingPort returns the first port that is for requests, "" when there is none.
func servingPort(c *workload.Container) string {
	for _, port := range c.Ports {
		if !observes(port.Name) {
			return workload.Port{Name: port.Name, Number: port.ContainerPort}.String()
		}
	}
	return ""
}

// observes reports whether a port is there to watch the process, by its name.
func observes(port string) bool {
	port = "-" + port + "-"
	for _, word := range [...]string{"metrics", "prometheus", "-prom-", "monitor", "pprof", "profiling", "debug", "health"} {
		if strings.Contains(port, word) {
			return true
		}
	}
	return false
}
