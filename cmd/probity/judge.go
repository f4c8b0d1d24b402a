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
	by   validate.Judge
	mode validate.Mode
	// config is the configuration's path.
	config string
	// modeless is set where the configuration has no default mode.
	modeless bool
}

// judged is what came of a document.
type judged struct {
	findings []report.Finding
	notices  []placedNotice
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
	switch {
	case j.mode == validate.ModeOff:
		return result
	case o.Namespace != nil:
		return j.namespace(d)
	case o.Workload == nil:
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
	judgement := j.by.Workload(o.Workload)
	for _, f := range judgement.Findings {
		source := workload.Source{File: d.Source.File, Line: d.Line(f.Path)}
		result.findings = append(result.findings, j.finding(f, d.Path, source))
	}
	for _, n := range judgement.Notices {
		result.notices = append(result.notices, j.notice(n, o.Ref, workload.Source{File: d.Source.File, Line: d.Line(n.Path)}))
	}
	return result
}

// placedNotice tells a notice about the configuration from one about an object.
type placedNotice struct {
	report.Notice
	configured bool
}

// notice gives a notice its place: that of the annotation, or in the
// configuration.
func (j judge) notice(n validate.Notice, ref workload.Ref, at workload.Source) placedNotice {
	if n.Path == "" {
		return placedNotice{report.Notice{Source: workload.Source{File: j.config, Line: n.Line}, Message: n.Message}, true}
	}
	return placedNotice{report.Notice{Source: at, Message: ref.String() + ": " + n.Message}, false}
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
	// configured are the lines of the configuration that a notice was about:
	// one is enough, however many objects it holds for.
	configured map[int]bool
}

func newTally(h report.Handler, j judge) *tally {
	return &tally{queue: queue{handler: h}, bundle: newBundle(j.by), configured: map[int]bool{}}
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
		if err := t.inputError(e); err != nil {
			return err
		}
	}
	if err := t.notices(t.totals.Objects, r.Value.notices); err != nil {
		return err
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

func (t *tally) inputError(e workload.InputError) error {
	t.totals.Errors++
	if e.Judged {
		t.totals.Harmless++
	}
	t.unread = t.unread || !e.Judged
	return t.queue.inputError(t.totals.Objects, e)
}

// notices hands notices on behind the object of that number.
func (t *tally) notices(number int, all []placedNotice) error {
	for _, n := range all {
		if n.configured && t.configured[n.Source.Line] {
			continue
		}
		t.configured[n.Source.Line] = t.configured[n.Source.Line] || n.configured
		t.totals.Notices++
		if err := t.queue.notice(number, n.Notice); err != nil {
			return err
		}
	}
	return nil
}

func (t *tally) count(findings []report.Finding) {
	for _, f := range findings {
		t.totals.Add(f.Finding)
	}
}

// finish judges what the objects make together, and ends the report.
func (t *tally) finish(j judge) error {
	var late []found
	var notices []placedNotice
	if j.mode != validate.ModeOff {
		late, notices = t.bundle.judge(j)
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
	if err := t.notices(t.totals.Objects, notices); err != nil {
		return err
	}
	return t.queue.handler.Finish(t.totals)
}
