package main

import (
	"cmp"
	"maps"
	"slices"

	"github.com/probity-dev/probity/audit"
	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// clusterFindings is what an audit of a cluster comes to. Objects without a fault
// are only counted.
type clusterFindings struct {
	passes map[string]*namespacePass
	seen   int

	// config is the configuration's path, and told are its lines of which a notice
	// has been given: one is enough, however many objects it holds for.
	config string
	told   map[int]bool

	totals  report.Totals
	objects []report.Object
	notices []report.Notice
	errors  []workload.InputError
	// denied and warned are set by findings in a namespace whose mode may fail.
	denied, warned bool
}

// namespacePass judges one namespace, and knows what kubectl calls its kinds.
type namespacePass struct {
	*audit.Pass
	mode validate.Mode
	// resources are the names of kinds, by apiVersion and kind.
	resources map[[2]string]string
}

func newClusterFindings(config string) *clusterFindings {
	return &clusterFindings{passes: map[string]*namespacePass{}, config: config, told: map[int]bool{}}
}

// pass returns that of a namespace.
func (c *clusterFindings) pass(namespace string, j validate.Judge, s validate.Settings) *namespacePass {
	p := c.passes[namespace]
	if p == nil {
		p = &namespacePass{audit.NewPass(j, s), s.Mode, map[[2]string]string{}}
		c.passes[namespace] = p
	}
	return p
}

func (p *namespacePass) take(i audit.Item) {
	p.resources[[2]string{i.Ref.APIVersion, i.Ref.Kind}] = i.Resource
	p.Take(i)
}

func (p *namespacePass) place(ref workload.Ref) workload.Source {
	return clusterPlace(ref.Namespace, p.resources[[2]string{ref.APIVersion, ref.Kind}], ref.Name)
}

// finish judges what can only be judged when all is known, and puts everything in
// order.
func (c *clusterFindings) finish(read *clusterRead) {
	c.errors = read.errors
	c.totals.Cluster = &report.Cluster{}
	c.totals.Mode = validate.ModeOff
	for _, s := range read.settings {
		if s.Mode == validate.ModeOff {
			c.totals.Cluster.Off++
		} else {
			c.totals.Cluster.Namespaces++
			c.totals.Mode = max(c.totals.Mode, s.Mode)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.passes)) {
		p := c.passes[name]
		p.Finish(len(read.errors) == 0)
		c.namespace(p)
	}
	c.totals.Errors = len(c.errors)
}

func (c *clusterFindings) namespace(p *namespacePass) {
	c.totals.Objects += p.Objects
	c.totals.Cluster.Coverage = append(c.totals.Cluster.Coverage, p.Coverage...)
	for _, f := range p.Failures {
		c.errors = append(c.errors, workload.InputError{File: f.What, Message: f.Err.Error()})
	}
	slices.SortStableFunc(p.Faulty, func(a, b *audit.Faulty) int {
		return cmp.Or(cmp.Compare(a.Ref.Kind, b.Ref.Kind), cmp.Compare(a.Ref.Name, b.Ref.Name))
	})
	for _, f := range p.Faulty {
		place := p.place(f.Ref)
		for _, problem := range f.Problems {
			c.errors = append(c.errors, workload.InputError{File: place.File, Message: problem.String()})
		}
		for _, n := range f.Notices {
			c.notice(n, f.Ref, place)
		}
		if len(f.Findings) > 0 {
			c.object(p, f, place)
		}
	}
}

// notice keeps what is to be said of an exemption, that of an object or of the
// configuration.
func (c *clusterFindings) notice(n validate.Notice, ref workload.Ref, place workload.Source) {
	told := report.Notice{Source: place, Message: ref.String() + ": " + n.Message}
	if n.Path == "" {
		if c.told[n.Line] {
			return
		}
		c.told[n.Line] = true
		told = report.Notice{Source: workload.Source{File: c.config, Line: n.Line}, Message: n.Message}
	}
	c.totals.Notices++
	c.notices = append(c.notices, told)
}

func (c *clusterFindings) object(p *namespacePass, f *audit.Faulty, place workload.Source) {
	o := report.Object{Ref: f.Ref, Source: place}
	if p.mode != validate.ModeEnforce {
		o.Note = "mode " + p.mode.String()
	}
	c.totals.Faulty++
	for _, found := range f.Findings {
		if p.mode != validate.ModeEnforce {
			found.Action = min(found.Action, validate.Warn)
		}
		c.totals.Add(found)
		if p.mode != validate.ModeAudit {
			c.denied = c.denied || found.Action == validate.Deny
			c.warned = c.warned || found.Action == validate.Warn
		}
		o.Findings = append(o.Findings, report.Finding{Finding: found, Source: place})
	}
	c.objects = append(c.objects, o)
}

func (c *clusterFindings) tell(h report.Handler) error {
	for _, o := range c.objects {
		if err := h.Object(o); err != nil {
			return err
		}
	}
	for _, n := range c.notices {
		if err := h.Notice(n); err != nil {
			return err
		}
	}
	for _, e := range c.errors {
		if err := h.InputError(e); err != nil {
			return err
		}
	}
	return h.Finish(c.totals)
}

func (c *clusterFindings) status(failOn validate.Action) error {
	switch {
	case len(c.errors) > 0:
		return exitStatus(exitUnusable)
	case c.denied, failOn == validate.Warn && c.warned:
		return exitStatus(exitDenied)
	default:
		return nil
	}
}
