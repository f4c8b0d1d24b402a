package main

import (
	"cmp"
	"slices"
	"sort"

	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/workload"
)

// maxWaiting bounds the findings that wait for the end of the input, some ten
// megabytes.
const maxWaiting = 10_000

// queue hands results on in the order of the input. From the first object on that
// may get further findings at the end of the input, as of a budget, results wait
// for it, so that an object's findings stand together. What is without findings
// does not wait. Where too many wait, the first are handed on without.
type queue struct {
	handler report.Handler
	waits   bool
	waiting []result
	count   int
}

// result is an object with findings, an input error, or a notice.
type result struct {
	number int // of the object in the input; for all else, that of the object before it
	object report.Object
	err    *workload.InputError
	notice *report.Notice
}

func (q *queue) object(number int, o report.Object, mayGrow bool) error {
	slices.SortStableFunc(o.Findings, byLine)
	q.waits = q.waits || mayGrow
	if !q.waits || len(o.Findings) == 0 {
		return q.handler.Object(o)
	}
	return q.add(result{number: number, object: o}, len(o.Findings))
}

func (q *queue) inputError(number int, e workload.InputError) error {
	if !q.waits {
		return q.handler.InputError(e)
	}
	return q.add(result{number: number, err: &e}, 1)
}

func (q *queue) notice(number int, n report.Notice) error {
	if !q.waits {
		return q.handler.Notice(n)
	}
	return q.add(result{number: number, notice: &n}, 1)
}

func (q *queue) add(r result, size int) error {
	q.waiting = append(q.waiting, r)
	q.count += size
	if q.count < maxWaiting {
		return nil
	}
	return q.release()
}

// release hands on all that waits.
func (q *queue) release() error {
	for _, r := range q.waiting {
		var err error
		switch {
		case r.err != nil:
			err = q.handler.InputError(*r.err)
		case r.notice != nil:
			err = q.handler.Notice(*r.notice)
		default:
			err = q.handler.Object(r.object)
		}
		if err != nil {
			return err
		}
	}
	q.waiting, q.count = nil, 0
	return nil
}

// finish adds what was found at the end of the input and hands everything on.
func (q *queue) finish(late []found) error {
	slices.SortStableFunc(late, func(a, b found) int { return cmp.Compare(a.number, b.number) })
	var all []result
	rest := q.waiting
	for _, f := range late {
		n := sort.Search(len(rest), func(i int) bool { return rest[i].number >= f.number })
		all = append(all, rest[:n]...)
		rest = rest[n:]
		o := f.object
		if len(rest) > 0 && rest[0].number == f.number && rest[0].err == nil && rest[0].notice == nil {
			o.Findings = append(rest[0].object.Findings, o.Findings...)
			rest = rest[1:]
		}
		slices.SortStableFunc(o.Findings, byLine)
		all = append(all, result{number: f.number, object: o})
	}
	q.waiting = append(all, rest...)
	return q.release()
}

func byLine(a, b report.Finding) int { return cmp.Compare(a.Source.Line, b.Source.Line) }
