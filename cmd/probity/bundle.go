package main

import (
	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// bundle is what objects of the whole input are judged by together: budgets,
// workloads and autoscalers, which may stand in different files. Of each no more
// is kept than that takes.
type bundle struct {
	objects []*workload.Object
	places  []place
}

// place is where an object stands.
type place struct {
	source workload.Source
	// path is the object's in its document.
	path string
	// lines are those of the fields that findings on a bundle name.
	lines map[string]int
	// faulty is set for an object that has findings of its own.
	faulty bool
}

// bundleFields are the fields of an object that rules about bundles name. To look
// for more would cost time in every manifest.
func bundleFields(o *workload.Object) []string {
	switch {
	case o.Budget != nil:
		return []string{"spec", "spec.selector", "spec.minAvailable", "spec.maxUnavailable"}
	case o.Workload != nil:
		return []string{"spec.replicas"}
	default:
		return nil
	}
}

// forBundle returns what to keep of a document; its object is nil when that is
// nothing.
func forBundle(d *workload.Document) (*workload.Object, place) {
	o := validate.ForBundle(d.Object)
	if o == nil {
		return nil, place{}
	}
	p := place{source: d.Source, path: d.Path, lines: map[string]int{}}
	for _, field := range bundleFields(o) {
		p.lines[field] = d.Line(field)
	}
	return o, p
}

func (b *bundle) add(o *workload.Object, p place) {
	if o == nil {
		return
	}
	b.objects = append(b.objects, o)
	b.places = append(b.places, p)
}

// judge returns what the objects break together, by object, and how many of them
// had no findings before.
func (b *bundle) judge(j judge) (all []report.Object, newlyFaulty int) {
	if j.mode == validate.ModeOff {
		return nil, 0
	}
	last := -1
	for _, f := range validate.EvaluateBundle(b.objects, j.policy) {
		p := b.places[f.Index]
		if f.Index != last {
			all = append(all, report.Object{Ref: f.Object, Source: p.source})
			last = f.Index
			if !p.faulty {
				newlyFaulty++
			}
		}
		o := &all[len(all)-1]
		o.Findings = append(o.Findings, j.finding(f.Finding, p.path, workload.Source{File: p.source.File, Line: p.line(f.Path)}))
	}
	return all, newlyFaulty
}

func (p *place) line(path string) int {
	if line, ok := p.lines[path]; ok {
		return line
	}
	return p.source.Line
}
