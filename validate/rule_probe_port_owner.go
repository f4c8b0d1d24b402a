package validate

import (
	"fmt"
	"slices"
	"sync"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "probe-port-owner",
		Title:    "A probe that restarts a container asks that container",
		Category: Wiring,
		Why: `The containers of a pod share one address, so a liveness or startup probe can reach a port that another container
listens on. Then the wrong container pays: when the other one hangs, this one is restarted, which helps nothing; when this one hangs, nothing
happens.

Readiness is about the whole pod, so there the rule does not look. What checks a container on its behalf is fine: the rewritten probes of a
service mesh, the liveness helper of a CSI driver, a listener that has a path for each container.`,
		Fix:   "Ask a port of the container itself, or move the probe to the container that listens.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/concepts/workloads/pods/#pod-networking",
			"https://istio.io/latest/docs/ops/configuration/mesh/app-health-check/",
			"https://github.com/kubernetes-csi/livenessprobe",
		},
		Action: ByProfile{Warn, Deny},
		Check:  checkProbePortOwner,
	})
}

func checkProbePortOwner(p *Pass) {
	owners := sync.OnceValue(func() map[int32]*workload.Container { return portOwners(&p.Workload.Pod) })
	for probe := range p.Probes(workload.Liveness, workload.Startup) {
		port, dials := probe.Port()
		if !dials || port.Number == 0 {
			continue // a name resolves in its own container only: probe-port-name
		}
		if probe.Type == workload.Startup && sameAsLiveness(probe, port) {
			continue // said once
		}
		if listens(probe.Container, port.Number) {
			continue
		}
		owner := owners()[port.Number]
		if owner == nil || onBehalf(probe, owner) {
			continue
		}
		p.Report(probe, Report{
			Field: "." + probe.Handler() + ".port",
			Text: fmt.Sprintf("is %d, which container %q declares and this one does not; when that one hangs this one is restarted, which helps nothing",
				port.Number, owner.Name),
			Fix:      portOwnerFix(probe, owner),
			Evidence: fmt.Sprintf("port %d of container %q", port.Number, owner.Name),
		})
	}
}

func sameAsLiveness(startup Probe, port workload.Port) bool {
	liveness := startup.Container.Liveness
	if liveness == nil || liveness.Invalid {
		return false
	}
	asked, dials := liveness.Port()
	return dials && asked == port
}

// listens reports whether the container declares the port.
func listens(c *workload.Container, port int32) bool {
	return slices.ContainsFunc(c.Ports, func(p workload.ContainerPort) bool { return p.ContainerPort == port && overTCP(p) })
}

// overTCP: probes speak nothing else.
func overTCP(p workload.ContainerPort) bool { return p.Protocol == "" || p.Protocol == "TCP" }

// portOwners finds the first container that declares a port. It is made once for
// all probes: looked up for each, time would grow with the square of a pod.
func portOwners(pod *workload.Pod) map[int32]*workload.Container {
	owners := map[int32]*workload.Container{}
	for i := range pod.Containers {
		c := &pod.Containers[i]
		for _, declared := range c.Ports {
			if owners[declared.ContainerPort] == nil && overTCP(declared) {
				owners[declared.ContainerPort] = c
			}
		}
	}
	return owners
}

func portOwnerFix(probe Probe, owner *workload.Container) string {
	for _, declared := range probe.Container.Ports {
		if overTCP(declared) {
			return fmt.Sprintf("Ask a port of this container, such as %d, or move the probe to container %q.", declared.ContainerPort, owner.Name)
		}
	}
	return fmt.Sprintf("Declare and ask a port of this container, or move the probe to container %q.", owner.Name)
}
