package main

import (
	"fmt"

	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/cmd/probity/internal/scan"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// judge judges documents, on any number of cores.
type judge struct {
	policy *validate.Policy
	mode   validate.Mode
}

// judged is what came of a document.
type judged struct {
	findings []report.Finding
	// counts is set for an object of a kind that is judged at all.
	counts bool
	// failure is an error of Probity's own.
	failure *workload.InputError
	// lines are for what is judged together with other objects.
	lines lines
}

func (j judge) document(d workload.Document) (result judged) {
	o := d.Object
	if o == nil {
		return judged{}
	}
	result.counts = o.Workload != nil || o.Budget != nil
	result.lines = linesForBundle(&d)
	if o.Workload == nil || j.mode == validate.ModeOff {
		return result
	}
	defer func() {
		if r := recover(); r != nil {
			result.failure = &workload.InputError{
				File: d.Source.File, Line: d.Source.Line,
				Message: fmt.Sprintf("%s could not be judged for a fault in Probity, please report it: %v", o.Ref, r),
			}
		}
	}()
	for _, f := range validate.Evaluate(o.Workload, j.policy) {
		source := workload.Source{File: d.Source.File, Line: d.Line(f.Path)}
		result.findings = append(result.findings, j.finding(f, d.Path, source))
	}
	return result
}

// finding gives a finding its line, the path in its document, and what its action
// comes to in the mode.
func (j judge) finding(f validate.Finding, outer string, source workload.Source) report.Finding {
	if outer != "" {
		f.Path = outer + "." + f.Path
	}
	if j.mode != validate.ModeEnforce {
		f.Action = min(f.Action, validate.Warn)
	}
	return report.Finding{Finding: f, Source: source}
}

// tally hands results to the handler and counts them.
type tally struct {
	queue  queue
	totals report.Totals
	// unread is set once something could not be read.
	unread bool
	// foreign is the last file that held nothing of ours.
	foreign string
	bundle  bundle
}

func newTally(h report.Handler, j judge) *tally {
	return &tally{queue: queue{handler: h}, bundle: newBundle(j.policy)}
}

func (t *tally) take(r scan.Result[judged]) error {
	d := &r.Document
	if d.Foreign && r.Found {
		if t.foreign != d.Source.File {
			t.foreign = d.Source.File
			t.totals.Foreign++
		}
		return nil
	}
	errs := d.Errors
	if r.Value.failure != nil {
		errs = append(errs[:len(errs):len(errs)], *r.Value.failure)
	}
	for _, e := range errs {
		t.totals.Errors++
		t.unread = t.unread || !e.Judged
		if err := t.queue.inputError(t.totals.Objects, e); err != nil {
			return err
		}
	}
	if d.Object == nil {
		return nil
	}
	faulty := len(r.Value.findings) > 0
	if r.Value.counts {
		t.totals.Objects++
	}
	if faulty {
		t.totals.Faulty++
	}
	t.bundle.add(d, r.Value.lines, t.totals.Objects, faulty)
	if !r.Value.counts {
		return nil
	}
	t.count(r.Value.findings)
	object := report.Object{Ref: d.Object.Ref, Source: d.Source, Findings: r.Value.findings}
	return t.queue.object(t.totals.Objects, object, t.bundle.objects.Reports(d.Object))
}

func (t *tally) count(findings []report.Finding) {
	for _, f := range findings {
		t.totals.Add(f.Finding)
	}
}

// finish judges what the objects make together, and ends the report.
func (t *tally) finish(j judge) error {
	var late []found
	if j.mode != validate.ModeOff {
		late = t.bundle.judge(j)
	}
	for _, f := range late {
		t.count(f.object.Findings)
		if f.newly {
			t.totals.Faulty++
		}
	}
	if err := t.queue.finish(late); err != nil {
		return err
	}
	return t.queue.handler.Finish(t.totals)
}
