package main

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// lister writes down what it gets.
type lister struct{ got []string }

func (l *lister) Object(o report.Object) error {
	text := o.Ref.Name
	for _, f := range o.Findings {
		text += fmt.Sprintf(" %d", f.Source.Line)
	}
	l.got = append(l.got, text)
	return nil
}

func (l *lister) InputError(e workload.InputError) error {
	l.got = append(l.got, e.Message)
	return nil
}

func (l *lister) Notice(n report.Notice) error {
	l.got = append(l.got, n.Message)
	return nil
}

func (l *lister) Finish(report.Totals) error { return nil }

func at(name string, lines ...int) report.Object {
	o := report.Object{Ref: workload.Ref{Name: name}}
	for _, line := range lines {
		o.Findings = append(o.Findings, report.Finding{Finding: validate.Finding{}, Source: workload.Source{Line: line}})
	}
	return o
}

func TestQueue(t *testing.T) {
	give := func(t *testing.T, q *queue, number int, o report.Object, mayGrow bool) {
		t.Helper()
		if err := q.object(number, o, mayGrow); err != nil {
			t.Fatal(err)
		}
	}
	fail := func(t *testing.T, q *queue, number int, message string) {
		t.Helper()
		if err := q.inputError(number, workload.InputError{Message: message}); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		give func(*testing.T, *queue)
		// soon is what is handed on before the end.
		soon []string
		late []found
		want []string
	}{
		{
			"nothing waits where nothing may come",
			func(t *testing.T, q *queue) {
				fail(t, q, 0, "error")
				give(t, q, 1, at("a", 3, 2), false)
			},
			[]string{"error", "a 2 3"},
			nil,
			[]string{"error", "a 2 3"},
		},
		{
			"from the first that may grow on, faulty ones and errors wait",
			func(t *testing.T, q *queue) {
				give(t, q, 1, at("a", 1), false)
				give(t, q, 2, at("budget"), true)
				fail(t, q, 2, "error")
				give(t, q, 3, at("b", 7, 5), true)
				give(t, q, 4, at("clean"), false)
				give(t, q, 5, at("c", 9), false)
			},
			[]string{"a 1", "budget", "clean"},
			[]found{{number: 3, object: at("b", 6)}, {number: 2, object: at("budget", 2)}},
			[]string{"a 1", "budget", "clean", "budget 2", "error", "b 5 6 7", "c 9"},
		},
		{
			"what comes of a clean object behind all stands last",
			func(t *testing.T, q *queue) {
				give(t, q, 1, at("a", 1), true)
				give(t, q, 2, at("b"), true)
			},
			[]string{"b"},
			[]found{{number: 2, object: at("b", 8)}},
			[]string{"b", "a 1", "b 8"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var l lister
			q := queue{handler: &l}
			tt.give(t, &q)
			if diff := cmp.Diff(tt.soon, l.got); diff != "" {
				t.Errorf("before the end: %s", diff)
			}
			if err := q.finish(tt.late); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, l.got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestQueueKeepsNoMoreThanItsBound(t *testing.T) {
	var l lister
	q := queue{handler: &l}
	for i := range maxWaiting + 10 {
		if err := q.object(i+1, at("a", 1), true); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.got) != maxWaiting || len(q.waiting) != 10 {
		t.Errorf("%d handed on and %d wait, want %d and 10", len(l.got), len(q.waiting), maxWaiting)
	}
	if err := q.finish([]found{{number: 5, object: at("a", 2)}, {number: maxWaiting + 3, object: at("a", 2)}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a 2", "a 1", "a 1", "a 1 2"}, l.got[maxWaiting:maxWaiting+4]); diff != "" {
		t.Error(diff)
	}
}
