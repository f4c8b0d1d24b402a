package validate

import (
	"slices"

	"github.com/probity-dev/probity/validate/dependency"
	"github.com/probity-dev/probity/validate/dependency/endpoint"
	"github.com/probity-dev/probity/workload"
)

// Answer says what a probe asks. It is worked out once a probe, however many
// rules read it.
func (p *Pass) Answer(probe Probe) dependency.Answer {
	if p.answers == nil {
		p.answers = make([]answer, len(p.Workload.Pod.Containers)*len(workload.ProbeTypes))
	}
	container := slices.IndexFunc(p.Workload.Pod.Containers, func(c workload.Container) bool { return c.Name == probe.Container.Name })
	a := &p.answers[container*len(workload.ProbeTypes)+int(probe.Type)]
	if !a.known {
		*a = answer{true, Ask(p.Workload, probe)}
	}
	return a.Answer
}

// Ask says what a probe of a workload asks.
func Ask(w *workload.Workload, probe Probe) dependency.Answer {
	switch {
	case probe.HTTPGet != nil:
		return endpoint.HTTP(httpRequest(probe))
	case probe.GRPC != nil:
		return endpoint.GRPC(probe.GRPC.Service)
	case probe.TCPSocket != nil:
		return dependency.Answer{Scope: dependency.Process, Asks: "whether this process accepts connections", Evidence: "port " + probe.TCPSocket.Port.String()}
	default:
		return dependency.Answer{}
	}
}

func httpRequest(probe Probe) endpoint.Request {
	r := endpoint.Request{Path: probe.HTTPGet.Path, Port: probe.HTTPGet.Port.String(), Image: probe.Container.Image}
	for _, h := range probe.HTTPGet.Headers {
		r.Headers = append(r.Headers, endpoint.Header{Name: h.Name, Value: h.Value})
	}
	return r
}
