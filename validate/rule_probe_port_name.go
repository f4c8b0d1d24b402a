package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "probe-port-name",
		Title:    "A probe's named port is declared by its own container",
		Category: Wiring,
		Why: `The kubelet looks a port name up in the probed container only. A name that is not there never
resolves, and what follows depends on the probe: liveness never fails, so nothing is watched; readiness never passes, so no traffic comes;
startup never ends, so the container is killed over and over.`,
		Fix:   "Declare the port under the container's `ports`, or give its number.",
		Since: "0.1.0",
		Sources: []string{
			"https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/probe/util.go",
		},
		Action: ByProfile{Deny, Deny},
		Check:  checkProbePortName,
	})
}

func checkProbePortName(p *Pass) {
	for probe := range p.Probes() {
		port, dials := probe.Port()
		if !dials || port.Name == "" || declares(probe.Container, port.Name) {
			continue
		}
		p.Report(probe, Report{
			Field: "." + probe.Handler() + ".port",
			Text: fmt.Sprintf("is %q, which this container does not declare%s; the name never resolves, so %s",
				port.Name, declaredElsewhere(&p.Workload.Pod, port.Name), unresolved[probe.Type]),
			Fix:      portNameFix(probe.Container, port.Name),
			Evidence: fmt.Sprintf("port %q", port.Name),
		})
	}
}

// unresolved is what each probe does when its port has no number.
var unresolved = [...]string{
	workload.Liveness:  "liveness never fails and nothing is watched",
	workload.Readiness: "readiness never passes and no traffic comes",
	workload.Startup:   "startup never ends and the container is killed over and over",
}

func declares(c *workload.Container, port string) bool {
	return slices.ContainsFunc(c.Ports, func(p workload.ContainerPort) bool { return p.Name == port })
}

// declaredElsewhere tells a misplaced probe from a misspelt name.
func declaredElsewhere(pod *workload.Pod, port string) string {
	for i := range pod.Containers {
		if c := &pod.Containers[i]; declares(c, port) {
			return fmt.Sprintf(" and container %q does", c.Name)
		}
	}
	return ""
}

func portNameFix(c *workload.Container, name string) string {
	var names []string
	for _, p := range c.Ports {
		if p.Name != "" {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return fmt.Sprintf("Declare a port named %q under ports of container %q, or give the number.", name, c.Name)
	}
	return fmt.Sprintf("Use one that it declares (%s), declare %q, or give the number.", strings.Join(names, ", "), name)
}
