package main

import (
	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// bundle is what objects of the whole input are judged by together: budgets,
// workloads and autoscalers, which may stand in different files. Of a workload no
// more is kept than a budget that is yet to come may ask for, and its lines.
type bundle struct {
	objects *validate.Bundle
	places  []place // by index in objects
	files   []string
	// more holds what only some have: the lines of a budget's fields, and the
	// path of an object in a List.
	more map[int]detail
}

func newBundle(p *validate.Policy) bundle {
	return bundle{objects: validate.NewBundle(p), more: map[int]detail{}}
}

// place is where an object stands. There is one for each workload of the input.
type place struct {
	// object is the object's number in the input, and file the number of its file.
	object, file int32
	// line is where it begins, and replicas the line of spec.replicas.
	line, replicas int32
	// faulty is set for an object that has findings of its own.
	faulty bool
}

// detail is what is kept of the place of some objects.
type detail struct {
	// path is the object's in its document.
	path string
	// lines are those of the fields that findings on a budget name.
	lines map[string]int
}

// lines are those of the fields that rules about bundles name in an object, looked
// for while its document is at hand: on any core.
type lines struct {
	replicas int
	budget   map[string]int
}

func linesForBundle(d *workload.Document) lines {
	var l lines
	switch {
	case d.Object.Budget != nil:
		l.budget = map[string]int{}
		for _, field := range []string{"spec", "spec.selector", "spec.minAvailable", "spec.maxUnavailable"} {
			l.budget[field] = d.Line(field)
		}
	case d.Object.Workload != nil:
		l.replicas = d.Line("spec.replicas")
	}
	return l
}

// add takes a document's object. number is the object's in the input, and faulty
// says whether it has findings of its own.
func (b *bundle) add(d *workload.Document, l lines, number int, faulty bool) {
	index, kept := b.objects.Add(d.Object)
	if !kept {
		return
	}
	if last := len(b.files) - 1; last < 0 || b.files[last] != d.Source.File {
		b.files = append(b.files, d.Source.File)
	}
	b.places = append(b.places, place{
		object: int32(number), file: int32(len(b.files) - 1),
		line: int32(d.Source.Line), replicas: int32(l.replicas), faulty: faulty,
	})
	if d.Path != "" || l.budget != nil {
		b.more[index] = detail{d.Path, l.budget}
	}
}

// found is what an object breaks together with others.
type found struct {
	number int
	object report.Object
	// newly is set for one without findings of its own.
	newly bool
}

// judge returns what the objects break together, by object.
func (b *bundle) judge(j judge) []found {
	var all []found
	last := -1
	for _, f := range b.objects.Findings() {
		p, more := b.places[f.Index], b.more[f.Index]
		source := workload.Source{File: b.files[p.file], Line: int(p.line)}
		if f.Index != last {
			all = append(all, found{int(p.object), report.Object{Ref: f.Object, Source: source}, !p.faulty})
			last = f.Index
		}
		if line, ok := more.lines[f.Path]; ok {
			source.Line = line
		} else if f.Path == "spec.replicas" {
			source.Line = int(p.replicas)
		}
		o := &all[len(all)-1].object
		o.Findings = append(o.Findings, j.finding(f.Finding, more.path, source))
	}
	return all
}
