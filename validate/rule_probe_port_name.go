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
	var owners map[string]*workload.Container // nearly no workload needs them
	for probe := range p.Probes() {
		port, dials := probe.Port()
		if !dials || port.Name == "" || declares(probe.Container, port.Name) {
			continue
		}
		if owners == nil {
			owners = portNameOwners(&p.Workload.Pod)
		}
		p.Report(probe, Report{
			Field: "." + probe.Handler() + ".port",
			Text: fmt.Sprintf("is %q, which this container does not declare%s; the name never resolves, so %s",
				port.Name, declaredElsewhere(owners[port.Name]), unresolved[probe.Type]),
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
func declaredElsewhere(owner *workload.Container) string {
	if owner == nil {
		return ""
	}
	return fmt.Sprintf(" and container %q does", owner.Name)
}

// portNameOwners finds the first container that declares a name, for all probes at
// once as portOwners does.
func portNameOwners(pod *workload.Pod) map[string]*workload.Container {
	owners := map[string]*workload.Container{}
	for i := range pod.Containers {
		c := &pod.Containers[i]
		for _, declared := range c.Ports {
			if owners[declared.Name] == nil {
				owners[declared.Name] = c
			}
		}
	}
	return owners
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
