package workload

import "github.com/probity-dev/probity/workload/jsonscan"

func (t *podTemplate) scan(s *jsonscan.Scanner) {
	scanStruct(s, t, func(name []byte) {
		switch string(name) {
		case "metadata":
			t.Metadata.scan(s)
		case "spec":
			t.Spec.scan(s)
		default:
			s.Skip()
		}
	})
}

func (m *templateMetadata) scan(s *jsonscan.Scanner) {
	scanStruct(s, m, func(name []byte) {
		switch string(name) {
		case "labels":
			scanMap(s, &m.Labels)
		case "annotations":
			m.Annotations.scan(s)
		default:
			s.Skip()
		}
	})
}

func (p *podSpec) scan(s *jsonscan.Scanner) {
	scanStruct(s, p, func(name []byte) { p.member(s, name) })
}

func (p *podSpec) member(s *jsonscan.Scanner, name []byte) {
	switch string(name) {
	case "containers":
		scanList(s, &p.Containers, (*Container).scan)
	case "initContainers":
		scanList(s, &p.InitContainers, (*Container).scan)
	case "hostNetwork":
		scanBool(s, &p.HostNetwork)
	case "os":
		scanPath(s, &p.OS, "name", func() { scanString(s, &p.OS.Name) })
	case "nodeSelector":
		scanMap(s, &p.NodeSelector)
	case "restartPolicy":
		scanString(s, &p.RestartPolicy)
	case "hostname":
		scanString(s, &p.Hostname)
	case "runtimeClassName":
		scanString(s, &p.RuntimeClassName)
	case "priorityClassName":
		scanString(s, &p.PriorityClassName)
	case "terminationGracePeriodSeconds":
		scanPointer(s, &p.GracePeriod, scanInt64)
	case "readinessGates":
		scanList(s, &p.ReadinessGates, func(gate *struct{}, s *jsonscan.Scanner) {
			scanStruct(s, gate, func([]byte) { s.Skip() })
		})
	default:
		s.Skip()
	}
}

func (c *Container) scan(s *jsonscan.Scanner) {
	scanStruct(s, c, func(name []byte) { c.member(s, name) })
}

func (c *Container) member(s *jsonscan.Scanner, name []byte) {
	switch string(name) {
	case "name":
		scanString(s, &c.Name)
	case "image":
		scanString(s, &c.Image)
	case "command":
		scanList(s, &c.Command, scanText)
	case "args":
		scanList(s, &c.Args, scanText)
	case "ports":
		scanList(s, &c.Ports, (*ContainerPort).scan)
	case "env":
		c.RawEnv.scan(s)
	case "envFrom":
		c.RawEnvFrom.scan(s)
	case "livenessProbe":
		scanPointer(s, &c.Liveness, (*Probe).scan)
	case "readinessProbe":
		scanPointer(s, &c.Readiness, (*Probe).scan)
	case "startupProbe":
		scanPointer(s, &c.Startup, (*Probe).scan)
	case "lifecycle":
		c.Lifecycle = s.Peek() != 'n'
		s.Skip()
	case "restartPolicy":
		scanString(s, &c.RestartPolicy)
	default:
		s.Skip()
	}
}

// scan keeps the bytes of the text itself: they are read before it may change.
func (l *later) scan(s *jsonscan.Scanner) {
	if !s.Null() {
		*l = s.Raw()
	}
}

func (p *ContainerPort) scan(s *jsonscan.Scanner) {
	scanStruct(s, p, func(name []byte) {
		switch string(name) {
		case "name":
			scanString(s, &p.Name)
		case "containerPort":
			scanInt32(&p.ContainerPort, s)
		case "protocol":
			scanString(s, &p.Protocol)
		default:
			s.Skip()
		}
	})
}

func (p *Probe) scan(s *jsonscan.Scanner) { scanStruct(s, p, func(name []byte) { p.member(s, name) }) }

func (p *Probe) member(s *jsonscan.Scanner, name []byte) {
	switch string(name) {
	case "httpGet":
		scanPointer(s, &p.HTTPGet, (*HTTPGet).scan)
	case "tcpSocket":
		scanPointer(s, &p.TCPSocket, (*TCPSocket).scan)
	case "exec":
		scanPointer(s, &p.Exec, func(e *Exec, s *jsonscan.Scanner) {
			scanPath(s, e, "command", func() { scanList(s, &e.Command, scanText) })
		})
	case "grpc":
		scanPointer(s, &p.GRPC, (*GRPC).scan)
	case "initialDelaySeconds":
		scanInt32(&p.InitialDelaySeconds, s)
	case "timeoutSeconds":
		scanInt32(&p.TimeoutSeconds, s)
	case "periodSeconds":
		scanInt32(&p.PeriodSeconds, s)
	case "successThreshold":
		scanInt32(&p.SuccessThreshold, s)
	case "failureThreshold":
		scanInt32(&p.FailureThreshold, s)
	case "terminationGracePeriodSeconds":
		scanPointer(s, &p.TerminationGracePeriodSeconds, scanInt64)
	default:
		s.Skip()
	}
}

func (h *HTTPGet) scan(s *jsonscan.Scanner) {
	scanStruct(s, h, func(name []byte) {
		switch string(name) {
		case "path":
			scanString(s, &h.Path)
		case "port":
			h.Port.scan(s)
		case "host":
			scanString(s, &h.Host)
		case "scheme":
			scanString(s, &h.Scheme)
		case "httpHeaders":
			scanList(s, &h.Headers, (*HTTPHeader).scan)
		default:
			s.Skip()
		}
	})
}

func (h *HTTPHeader) scan(s *jsonscan.Scanner) {
	scanStruct(s, h, func(name []byte) {
		switch string(name) {
		case "name":
			scanString(s, &h.Name)
		case "value":
			scanString(s, &h.Value)
		default:
			s.Skip()
		}
	})
}

func (t *TCPSocket) scan(s *jsonscan.Scanner) {
	scanStruct(s, t, func(name []byte) {
		switch string(name) {
		case "port":
			t.Port.scan(s)
		case "host":
			scanString(s, &t.Host)
		default:
			s.Skip()
		}
	})
}

func (g *GRPC) scan(s *jsonscan.Scanner) {
	scanStruct(s, g, func(name []byte) {
		switch string(name) {
		case "port":
			g.Port.scan(s)
		case "service":
			scanString(s, &g.Service)
		default:
			s.Skip()
		}
	})
}

func (p *Port) scan(s *jsonscan.Scanner) {
	*p = Port{}
	switch {
	case s.Null():
	case s.Peek() == '"':
		p.Name = s.String()
	default:
		p.Number = s.Int32()
	}
}

func (v *IntOrPercent) scan(s *jsonscan.Scanner) {
	quoted := s.Peek() == '"'
	var text string
	if quoted {
		text = s.String()
	} else {
		text = string(s.Number())
	}
	var ok bool
	if *v, ok = parseIntOrPercent(text, quoted); !ok {
		s.Fail()
	}
}
