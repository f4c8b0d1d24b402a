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
	// more holds what only some have: the lines of a budget's fields and of
	// exemptions, and the path of an object in a List.
	more map[int]detail
}

func newBundle(j validate.Judge) bundle {
	return bundle{objects: validate.NewBundle(j), more: map[int]detail{}}
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
	// lines are those of the fields that findings on a budget name, and of
	// exemptions.
	lines map[string]int
	// ref is set where a notice may need it.
	ref workload.Ref
}

// lines are those of the fields that rules about bundles name in an object, looked
// for while its document is at hand: on any core.
type lines struct {
	replicas int
	more     map[string]int
}

func linesForBundle(d *workload.Document) lines {
	var l lines
	switch {
	case d.Object.Budget != nil:
		l.more = exemptionLines(d, d.Object.Budget.Annotations)
		for _, field := range []string{"spec", "spec.selector", "spec.minAvailable", "spec.maxUnavailable"} {
			l.more[field] = d.Line(field)
		}
	case d.Object.Workload != nil:
		l.replicas = d.Line("spec.replicas")
		if _, ok := d.Object.Workload.Annotations[workload.AnnotationExempt]; ok {
			l.more = exemptionLines(d, d.Object.Workload.Annotations)
		}
	}
	return l
}

// exemptionLines are those of the annotations that notices name.
func exemptionLines(d *workload.Document, annotations workload.Annotations) map[string]int {
	lines := map[string]int{}
	for _, key := range []string{workload.AnnotationExempt, workload.AnnotationExemptReason, workload.AnnotationExemptUntil} {
		if _, ok := annotations[key]; ok {
			lines[validate.AnnotationPath(key)] = d.Line(validate.AnnotationPath(key))
		}
	}
	return lines
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
		object: int32(number), file: int32(len(b.files) - 1), //nolint:gosec // as many would not fit into memory
		line: int32(d.Source.Line), replicas: int32(l.replicas), faulty: faulty, //nolint:gosec // scan bounds a file's size
	})
	if d.Path != "" || l.more != nil {
		b.more[index] = detail{d.Path, l.more, d.Object.Ref}
	}
}

// found is what an object breaks together with others.
type found struct {
	number int
	object report.Object
	// newly is set for one without findings of its own.
	newly bool
}

// judge returns what the objects break together, by object, and what is to be said
// of exemptions.
func (b *bundle) judge(j judge) (all []found, notices []placedNotice) {
	last := -1
	findings, said := b.objects.Findings()
	for _, n := range said {
		source := b.source(n.Index)
		if line, ok := b.more[n.Index].lines[n.Path]; ok {
			source.Line = line
		}
		notices = append(notices, j.notice(n.Notice, b.more[n.Index].ref, source))
	}
	for _, f := range findings {
		p, more := b.places[f.Index], b.more[f.Index]
		source := b.source(f.Index)
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
	return all, notices
}

func (b *bundle) source(index int) workload.Source {
	p := b.places[index]
	return workload.Source{File: b.files[p.file], Line: int(p.line)}
}
