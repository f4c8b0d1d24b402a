package workload

import "github.com/probity-dev/probity/workload/jsonscan"

// Decoding by hand, field by field, into the structs that the general decoder
// fills by reflection, which was most of what a review costs (BenchmarkDecode of
// package webhook). Whatever is not plain is left to the general decoder, which
// names what is wrong. FuzzScan holds the two together, and a test fails for a
// field that only one of them reads.

// scanned is a form of objects that can be read by hand.
type scanned interface {
	wire
	scan(s *jsonscan.Scanner)
}

func (l layout) scanned() scanned {
	switch l.form {
	case formPod:
		return &podObject{}
	case formTemplate:
		return &templateObject{}
	case formCronJob:
		return &cronJobObject{}
	default:
		return nil // small, or rare
	}
}

// Scan reads the next value of s as an object of that apiVersion and kind, in one
// pass. It returns nil where the scanner gave up: DecodeAs then reads the object,
// or says why that cannot be.
func (k *Kinds) Scan(s *jsonscan.Scanner, apiVersion, kind string) *Object {
	l, ok := k.layouts[groupKind{group(apiVersion), kind}]
	if !ok {
		s.Fail()
		return nil
	}
	o := l.scanned()
	if o == nil {
		s.Fail()
		return nil
	}
	if o.scan(s); !s.OK() {
		return nil
	}
	obj := o.object(apiVersion, kind, l)
	if err := obj.finish(l, nil); err != nil {
		s.Fail()
		return nil
	}
	return obj
}

func (o *podObject) scan(s *jsonscan.Scanner) {
	scanStruct(s, o, func(name []byte) {
		switch string(name) {
		case "metadata":
			o.Metadata.scan(s)
		case "spec":
			o.Spec.scan(s)
		default:
			s.Skip()
		}
	})
}

func (o *templateObject) scan(s *jsonscan.Scanner) {
	scanStruct(s, o, func(name []byte) {
		switch string(name) {
		case "metadata":
			o.Metadata.scan(s)
		case "spec":
			scanStruct(s, &o.Spec, func(name []byte) {
				if string(name) == "template" {
					scanPointer(s, &o.Spec.Template, (*podTemplate).scan)
					return
				}
				o.Spec.member(s, name)
			})
		default:
			s.Skip()
		}
	})
}

func (o *cronJobObject) scan(s *jsonscan.Scanner) {
	scanStruct(s, o, func(name []byte) {
		switch string(name) {
		case "metadata":
			o.Metadata.scan(s)
		case "spec":
			scanPath(s, &o.Spec, "jobTemplate", func() {
				job := &o.Spec.JobTemplate
				scanStruct(s, job, func(name []byte) {
					switch string(name) {
					case "metadata":
						job.Metadata.scan(s)
					case "spec":
						scanPath(s, &job.Spec, "template", func() { scanPointer(s, &job.Spec.Template, (*podTemplate).scan) })
					default:
						s.Skip()
					}
				})
			})
		default:
			s.Skip()
		}
	})
}

func (m *metadata) scan(s *jsonscan.Scanner) {
	scanStruct(s, m, func(name []byte) {
		switch string(name) {
		case "name":
			scanString(s, &m.Name)
		case "generateName":
			scanString(s, &m.GenerateName)
		case "namespace":
			scanString(s, &m.Namespace)
		case "labels":
			scanMap(s, &m.Labels)
		case "annotations":
			m.Annotations.scan(s)
		case "ownerReferences":
			scanList(s, &m.OwnerReferences, (*Owner).scan)
		case "deletionTimestamp":
			m.DeletionTimestamp = s.Peek() != 'n'
			s.Skip()
		default:
			s.Skip()
		}
	})
}

func (a *Annotations) scan(s *jsonscan.Scanner) {
	*a = nil
	if s.Null() {
		return
	}
	s.Object(func(name []byte) {
		if string(name) == lastApplied {
			s.Skip()
			return
		}
		if *a == nil {
			*a = Annotations{}
		}
		key := s.Text(name)
		var value string
		scanString(s, &value)
		(*a)[key] = value
	})
}

func (o *Owner) scan(s *jsonscan.Scanner) {
	scanStruct(s, o, func(name []byte) {
		switch string(name) {
		case "apiVersion":
			scanString(s, &o.APIVersion)
		case "kind":
			scanString(s, &o.Kind)
		case "name":
			scanString(s, &o.Name)
		case "controller":
			scanBool(s, &o.Controller)
		default:
			s.Skip()
		}
	})
}

// member reads one member of a workload's spec.
func (c *scale) member(s *jsonscan.Scanner, name []byte) {
	switch string(name) {
	case "replicas":
		scanPointer(s, &c.Replicas, scanInt32)
	case "selector":
		scanPointer(s, &c.Selector, (*Selector).scan)
	case "serviceName":
		scanString(s, &c.ServiceName)
	case "paused":
		scanBool(s, &c.Paused)
	case "progressDeadlineSeconds":
		scanPointer(s, &c.ProgressDeadlineSeconds, scanInt32)
	case "strategy":
		c.Strategy.scan(s)
	case "updateStrategy":
		c.UpdateStrategy.scan(s)
	default:
		s.Skip()
	}
}

func (u *strategy) scan(s *jsonscan.Scanner) {
	scanStruct(s, u, func(name []byte) {
		switch string(name) {
		case "type":
			scanString(s, &u.Type)
		case "rollingUpdate":
			scanStruct(s, &u.RollingUpdate, func(name []byte) {
				switch string(name) {
				case "maxUnavailable":
					scanPointer(s, &u.RollingUpdate.MaxUnavailable, (*IntOrPercent).scan)
				case "maxSurge":
					scanPointer(s, &u.RollingUpdate.MaxSurge, (*IntOrPercent).scan)
				default:
					s.Skip()
				}
			})
		default:
			s.Skip()
		}
	})
}

func (l *Selector) scan(s *jsonscan.Scanner) {
	*l = Selector{}
	s.Object(func(name []byte) {
		switch {
		case s.Peek() == '"':
			if l.MatchLabels == nil {
				l.MatchLabels = map[string]string{}
			}
			key := s.Text(name)
			l.MatchLabels[key] = s.String()
		case string(name) == "matchLabels":
			scanMap(s, &l.MatchLabels)
		case string(name) == "matchExpressions":
			scanList(s, &l.MatchExpressions, (*Requirement).scan)
		default:
			s.Skip()
		}
	})
}

func (r *Requirement) scan(s *jsonscan.Scanner) {
	scanStruct(s, r, func(name []byte) {
		switch string(name) {
		case "key":
			scanString(s, &r.Key)
		case "operator":
			scanString(s, &r.Operator)
		case "values":
			scanList(s, &r.Values, scanText)
		default:
			s.Skip()
		}
	})
}
