package validate

import (
	"slices"

	"github.com/probity-dev/probity/validate/dependency"
	"github.com/probity-dev/probity/validate/dependency/command"
	"github.com/probity-dev/probity/validate/dependency/endpoint"
	"github.com/probity-dev/probity/workload"
)

// analysis is what a probe asks, and for an exec probe what else its command
// tells. It is worked out once a probe, however many rules read it.
type analysis struct {
	known bool
	command.Analysis
}

// Answer says what a probe asks.
func (p *Pass) Answer(probe Probe) dependency.Answer { return p.analyze(probe).Answer }

// Command says what an exec probe's command does; the zero value for others.
func (p *Pass) Command(probe Probe) command.Analysis { return p.analyze(probe).Analysis }

func (p *Pass) analyze(probe Probe) *analysis {
	if p.analyses == nil {
		p.analyses = make([]analysis, p.slots())
	}
	a := &p.analyses[p.slot(probe.Type)]
	if !a.known {
		*a = analysis{true, p.policy.knowledge.Analyze(p.Workload, probe)}
	}
	return a
}

// Knowledge tells what probes ask. The zero value has the built-in tables.
type Knowledge struct {
	// Endpoints is nil for the built-in table.
	Endpoints *endpoint.Classifier
	// Commands is nil for the built-in tables; else it should judge the URLs of
	// commands by Endpoints.
	Commands *command.Analyzer
}

// Analyze says what a probe of a workload asks.
func (k Knowledge) Analyze(w *workload.Workload, probe Probe) command.Analysis {
	switch {
	case probe.HTTPGet != nil:
		if k.Endpoints == nil {
			return command.Analysis{Answer: endpoint.HTTP(httpRequest(probe))}
		}
		return command.Analysis{Answer: k.Endpoints.HTTP(httpRequest(probe))}
	case probe.GRPC != nil:
		if k.Endpoints == nil {
			return command.Analysis{Answer: endpoint.GRPC(probe.GRPC.Service)}
		}
		return command.Analysis{Answer: k.Endpoints.GRPC(probe.GRPC.Service)}
	case probe.TCPSocket != nil:
		return command.Analysis{Answer: dependency.Answer{
			Scope: dependency.Process, Asks: "whether this process accepts connections",
			Evidence: "port " + probe.TCPSocket.Port.String(),
		}}
	case k.Commands == nil:
		return command.Analyze(execRequest(w, probe))
	default:
		return k.Commands.Analyze(execRequest(w, probe))
	}
}

func httpRequest(probe Probe) endpoint.Request {
	r := endpoint.Request{Path: probe.HTTPGet.Path, Port: probe.HTTPGet.Port.String(), Image: probe.Container.Image}
	for _, h := range probe.HTTPGet.Headers {
		r.Headers = append(r.Headers, endpoint.Header{Name: h.Name, Value: h.Value})
	}
	return r
}

func execRequest(w *workload.Workload, probe Probe) command.Request {
	c := probe.Container
	r := command.Request{
		Argv: probe.Exec.Command, Image: c.Image, Container: c.Name, EnvFrom: len(c.EnvFrom) > 0,
		OwnNames: ownNames(w), HostNetwork: w.Pod.HostNetwork, Windows: w.Pod.Windows,
		CommandArgv: slices.Concat(c.Command, c.Args), Env: make([]command.EnvVar, len(c.Env)),
	}
	for i, e := range c.Env {
		r.Env[i] = command.EnvVar{Name: e.Name, Value: e.Value, From: envSource(e.From)}
	}
	for i := range w.Pod.Containers {
		for _, port := range w.Pod.Containers[i].Ports {
			r.Ports = append(r.Ports, port.ContainerPort)
		}
	}
	return r
}

// ownNames are host names by which a pod reaches itself: its hostname, its name,
// and that of the only pod of a StatefulSet. The domain of the headless Service may
// stand behind each. Of several replicas, web-0 is another pod for all but one.
func ownNames(w *workload.Workload) []string {
	var names []string
	if w.Pod.Hostname != "" {
		names = append(names, w.Pod.Hostname)
	}
	switch {
	case w.Ref.Kind == "Pod":
		names = append(names, w.Ref.Name)
	case w.Ref.Kind == "StatefulSet" && (w.Replicas == nil || *w.Replicas == 1):
		names = append(names, w.Ref.Name+"-0")
	}
	return names
}

func envSource(from *workload.EnvSource) string {
	switch {
	case from == nil:
		return ""
	case from.FieldRef != nil:
		return "fieldRef:" + from.FieldRef.FieldPath
	case from.SecretKeyRef != nil:
		return "secretKeyRef"
	case from.ConfigMapRef != nil:
		return "configMapKeyRef"
	default:
		return "resourceFieldRef"
	}
}
