package validate

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/probity-dev/probity/workload"
)

// Evaluate judges a workload: all findings whose action is not off, ordered by
// container, probe, then rule. A probe with a Problem is not judged.
func Evaluate(w *workload.Workload, p *Policy) []Finding {
	pass := Pass{Workload: w, policy: p}
	for _, fallback := range [...]bool{false, true} {
		for i := range p.settings {
			s := &p.settings[i]
			if s.rule.Check == nil || s.rule.Fallback != fallback || s.action == Off && s.likely == Off {
				continue
			}
			pass.setting = s
			s.rule.Check(&pass)
		}
	}
	return pass.sorted()
}

// Pass is one rule at work on one workload.
type Pass struct {
	Workload *workload.Workload

	policy   *Policy
	setting  *setting
	at       int // the container that Containers yields
	findings []placed
	analyses []analysis // by container, then probe type
	named    []bool     // likewise: a finding says what is wrong with what the probe asks
}

// placed is a finding with the place of its container, -1 for none.
type placed struct {
	Finding
	container int
}

// Containers yields the probed containers.
func (p *Pass) Containers() iter.Seq[*workload.Container] {
	return func(yield func(*workload.Container) bool) {
		for i := range p.Workload.Pod.Containers {
			p.at = i
			if !yield(&p.Workload.Pod.Containers[i]) {
				return
			}
		}
	}
}

// Probes yields the probes that can be judged, of the types given or of all.
func (p *Pass) Probes(types ...workload.ProbeType) iter.Seq[Probe] {
	if len(types) == 0 {
		types = workload.ProbeTypes[:]
	}
	return func(yield func(Probe) bool) {
		for c := range p.Containers() {
			for _, t := range types {
				probe := c.Probe(t)
				if probe == nil || probe.Invalid {
					continue
				}
				if p.setting.rule.Fallback && p.named != nil && p.named[p.slot(t)] {
					continue
				}
				if !yield(Probe{Probe: probe, Type: t, Container: c}) {
					return
				}
			}
		}
	}
}

// Probe is a probe with its place.
type Probe struct {
	*workload.Probe
	Type      workload.ProbeType
	Container *workload.Container
}

// slot is the place of a probe of the container that Containers yields, in lists
// that have one for each.
func (p *Pass) slot(t workload.ProbeType) int { return p.at*len(workload.ProbeTypes) + int(t) }

func (p *Pass) slots() int { return len(p.Workload.Pod.Containers) * len(workload.ProbeTypes) }

// Report notes that a probe of the container that Containers yields breaks the
// rule.
func (p *Pass) Report(probe Probe, r Report) {
	if !p.add(probe.Container, probe.Type.String(), "."+probe.Type.Field()+r.Field, r) || p.setting.rule.Category != FailureDomain {
		return
	}
	if p.named == nil {
		p.named = make([]bool, p.slots())
	}
	p.named[p.slot(probe.Type)] = true
}

// ReportContainer notes that the container that Containers yields breaks the
// rule.
func (p *Pass) ReportContainer(c *workload.Container, r Report) { _ = p.add(c, "", r.Field, r) }

// ReportWorkload notes that the workload breaks the rule; Field is a path from
// the object's root.
func (p *Pass) ReportWorkload(r Report) { _ = p.add(nil, "", r.Field, r) }

// add notes a finding unless the policy says that it is off.
func (p *Pass) add(c *workload.Container, probe, field string, r Report) (noted bool) {
	action := p.setting.action
	if r.Likely {
		action = p.setting.likely
	}
	if action == Off {
		return false
	}
	f := Finding{
		Rule: p.setting.rule.ID, Action: action, Object: p.Workload.Ref, Probe: probe, Path: field,
		Message: strings.TrimSpace(subject(c, field) + " " + r.Text), Evidence: r.Evidence, Fix: r.Fix,
	}
	container := -1
	if c != nil {
		container = p.at
		f.Container = c.Name
		f.Path = p.Workload.Pod.ContainerPath(c) + field
	}
	p.findings = append(p.findings, placed{f, container})
	return true
}

// sorted orders the findings as a reader goes through the manifest.
func (p *Pass) sorted() []Finding {
	if len(p.findings) == 0 {
		return nil
	}
	slices.SortStableFunc(p.findings, func(a, b placed) int {
		return cmp.Or(
			a.container-b.container,
			strings.Compare(a.Probe, b.Probe), // liveness, readiness, startup
			strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.Path, b.Path),
		)
	})
	findings := make([]Finding, len(p.findings))
	for i := range p.findings {
		findings[i] = p.findings[i].Finding
	}
	return findings
}

// Injects says what Probity adds by itself where the workload runs.
func (p *Pass) Injects() Injection { return p.policy.injection }

// InjectsStartup reports whether this workload's containers get a startup probe
// by themselves. Jobs never do.
func (p *Pass) InjectsStartup() bool {
	return p.policy.injection.Startup && p.Workload.Ref.Kind != "Job" && p.Workload.Ref.Kind != "CronJob"
}

// Ends reports whether the workload runs to an end: a Job, or a Pod that is not
// always restarted. Nobody waits for its traffic.
func (p *Pass) Ends() bool {
	switch p.Workload.Ref.Kind {
	case "Job", "CronJob":
		return true
	case "Pod":
		policy := p.Workload.Pod.RestartPolicy
		return policy == "Never" || policy == "OnFailure"
	default:
		return false
	}
}

// Bool returns a parameter of the rule.
func (p *Pass) Bool(name string) bool { return p.param(name).(bool) }

// Int returns a parameter of the rule.
func (p *Pass) Int(name string) int { return p.param(name).(int) }

// Duration returns a parameter of the rule.
func (p *Pass) Duration(name string) time.Duration { return p.param(name).(time.Duration) }

func (p *Pass) param(name string) any { return p.setting.param(name) }

func (s *setting) param(name string) any {
	for i := range s.rule.Params {
		if s.rule.Params[i].Name == name {
			return s.params[i]
		}
	}
	panic("rule " + s.rule.ID + " does not declare the parameter " + name)
}
