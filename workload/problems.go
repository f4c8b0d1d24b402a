package workload

import (
	"fmt"
	"strings"

	"github.com/probity-dev/probity/escape"
)

// findProblems notes what the API server would refuse in the fields that rules
// read. Mutating webhooks, files and custom kinds show objects before anybody
// has validated them. Source: pkg/apis/core/validation of Kubernetes v1.37.
func (w *Workload) findProblems(custom bool) {
	if len(w.Pod.Containers) == 0 && len(w.Problems) == 0 {
		w.problem(w.Pod.Path+".containers", "must list at least one container")
	}
	mistyped := len(w.Problems)
	for i := range w.Pod.Containers {
		c := &w.Pod.Containers[i]
		w.containerProblems(c)
		for _, t := range ProbeTypes {
			p := c.Probe(t)
			if p == nil {
				continue
			}
			f := probeField{w, c, t}
			if f.inAny(w.Problems[:mistyped]) {
				p.Invalid = true // the zero in place of the mistyped field says nothing
				continue
			}
			before := len(w.Problems)
			f.handlerProblems(p)
			f.portProblems(p, custom)
			f.timingProblems(p)
			p.Invalid = len(w.Problems) > before
		}
	}
}

func (w *Workload) problem(path, format string, args ...any) {
	w.Problems = append(w.Problems, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (w *Workload) containerProblems(c *Container) {
	for i := range c.Ports {
		p := &c.Ports[i]
		if p.Name != "" && !legalPortName(p.Name) && len(w.Problems) < maxPortProblems {
			w.problem(fmt.Sprintf("%s.ports[%d].name", w.Pod.ContainerPath(c), i), "%s", portNameProblem(p.Name))
		}
	}
}

// probeField builds field paths only for what is wrong: most probes are right.
type probeField struct {
	workload  *Workload
	container *Container
	probe     ProbeType
}

func (f probeField) path() string {
	return f.workload.Pod.ContainerPath(f.container) + "." + f.probe.Field()
}

func (f probeField) problem(field, format string, args ...any) {
	f.workload.problem(f.path()+field, format, args...)
}

func (f probeField) inAny(problems []Problem) bool {
	for _, p := range problems {
		if strings.HasPrefix(p.Path, f.path()) {
			return true
		}
	}
	return false
}

func (f probeField) handlerProblems(p *Probe) {
	var have [4]string
	n := 0
	for _, h := range [...]struct {
		name string
		set  bool
	}{{"exec", p.Exec != nil}, {"grpc", p.GRPC != nil}, {"httpGet", p.HTTPGet != nil}, {"tcpSocket", p.TCPSocket != nil}} {
		if h.set {
			have[n] = h.name
			n++
		}
	}
	switch {
	case n == 0:
		f.problem("", "has no handler; it must have exactly one of exec, grpc, httpGet, tcpSocket")
	case n > 1:
		f.problem("", "has %d handlers (%s); it must have exactly one", n, strings.Join(have[:n], ", "))
	case p.Exec != nil && len(p.Exec.Command) == 0:
		f.problem(".exec.command", "is empty; it must hold a program and its arguments")
	}
}

// portProblems passes an absent port of a custom kind: some, such as Knative's
// Service, fill it in.
func (f probeField) portProblems(p *Probe, custom bool) {
	port, dials := p.Port()
	if !dials {
		return
	}
	switch {
	case port.Name != "" && p.GRPC != nil:
		f.problem(".grpc.port", "is the string %q; it must be a number from 1 to 65535", clip(port.Name))
	case port.Name != "":
		if !legalPortName(port.Name) {
			f.problem("."+p.Handler()+".port", "%s", portNameProblem(port.Name))
		}
	case port.Number == 0 && custom:
	case port.Number < 1 || port.Number > 65535:
		f.problem("."+p.Handler()+".port", "is %d; it must be a number from 1 to 65535 or the name of a port of this container", port.Number)
	}
}

func (f probeField) timingProblems(p *Probe) {
	for _, field := range [...]struct {
		name  string
		value int32
		zero  int
	}{
		{".initialDelaySeconds", p.InitialDelaySeconds, 0},
		{".timeoutSeconds", p.TimeoutSeconds, DefaultTimeoutSeconds},
		{".periodSeconds", p.PeriodSeconds, DefaultPeriodSeconds},
		{".successThreshold", p.SuccessThreshold, DefaultSuccessThreshold},
		{".failureThreshold", p.FailureThreshold, DefaultFailureThreshold},
	} {
		if field.value < 0 {
			f.problem(field.name, "is %d; it must not be negative (0 or absent means the default, %d)", field.value, field.zero)
		}
	}
	if f.probe != Readiness && p.SuccessThreshold > 1 {
		f.problem(".successThreshold", "is %d; it must be 1 on a %s probe", p.SuccessThreshold, f.probe)
	}
	switch grace := p.TerminationGracePeriodSeconds; {
	case grace == nil:
	case f.probe == Readiness:
		f.problem(".terminationGracePeriodSeconds", "is set; a readiness probe kills nothing and must not have it")
	case *grace <= 0:
		f.problem(".terminationGracePeriodSeconds", "is %d; it must be 1 or more", *grace)
	}
}

// legalPortName follows k8s.io/apimachinery/pkg/util/validation.IsValidPortName
// without its regular expressions: it runs for every port of every request.
func legalPortName(name string) bool {
	letter, dash := false, true // a dash may not come first, last or twice
	for i := range len(name) {
		switch c := name[i]; {
		case c == '-':
			if dash {
				return false
			}
			dash = true
			continue
		case c >= 'a' && c <= 'z':
			letter = true
		case c < '0' || c > '9':
			return false
		}
		dash = false
	}
	return letter && !dash && len(name) <= 15
}

func portNameProblem(name string) string {
	if strings.Trim(name, "0123456789") == "" {
		return fmt.Sprintf("is the string %q; a port number must stand without quotes", clip(name))
	}
	return fmt.Sprintf("is %q (%d characters); a port name must have at most 15 characters, a-z, 0-9 and -, at least one of them a letter, and no - at an end or next to another",
		clip(name), len(name))
}

// clip shows at most 40 bytes of a value that may be of any length.
func clip(s string) string { return escape.Begin(s, 40) }
