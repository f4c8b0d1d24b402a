package report

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// textReport is for people: findings by object, each on a line that editors can
// jump from, its fix below it, a summary at the end.
type textReport struct {
	out   *bufio.Writer
	style style
	width int
	// begun is set once something stands on the output.
	begun bool
	inErr bool
}

func newText(out Output) Handler {
	return &textReport{out: bufio.NewWriter(out.Writer), style: style(out.Colour), width: out.Width}
}

func (r *textReport) Object(o Object) error {
	if len(o.Findings) == 0 {
		return nil
	}
	r.gap()
	r.inErr = false
	r.printf("%s\n", r.heading(o))
	for _, f := range o.Findings {
		r.finding(f)
	}
	return r.out.Flush()
}

func (r *textReport) finding(f Finding) {
	word := r.style.action(f.Finding)
	line := fmt.Sprintf("%s%s: %s %s", lineStart(f.Source), word, Safe(f.Message), r.style.dim("["+f.Rule+"]"))
	r.wrapped("  ", "    ", line)
	if f.Exemption != nil {
		r.wrapped("    ", "    ", r.style.dim(Safe(exemption(f.Finding))))
		return
	}
	r.wrapped("    ", "    ", r.style.green("fix:")+" "+Safe(f.Fix))
}

// heading names an object, and its place in a file.
func (r *textReport) heading(o Object) string {
	name := r.style.bold(Safe(o.Ref.String()))
	note := o.Note
	if o.Source.Line > 0 { // else it is an object of a cluster, whose name is its place
		note = place(o.Source)
	}
	if note == "" {
		return name
	}
	return name + " " + r.style.dim("("+note+")")
}

// lineStart is what editors can jump from.
func lineStart(s workload.Source) string {
	if s.Line == 0 {
		return ""
	}
	return place(s) + ": "
}

// exemption says by what a finding is exempted: "by annotation until 2027-01-31:
// why".
func exemption(f validate.Finding) string {
	if f.Exemption.Until.IsZero() {
		return "by " + f.Exemption.Source.String() + ": " + f.Exemption.Reason
	}
	return "by " + f.Exemption.Source.String() + " " + f.Exemption.String()
}

func (r *textReport) InputError(e workload.InputError) error {
	if !r.inErr {
		r.gap()
	}
	r.inErr = true
	r.wrapped("", "  ", errorLine(e, r.style))
	return r.out.Flush()
}

func (r *textReport) Notice(n Notice) error {
	return r.InputError(n.inputError())
}

// inputError is the notice in the form in which warnings about the input are
// written.
func (n Notice) inputError() workload.InputError {
	return workload.InputError{File: n.Source.File, Line: n.Source.Line, Message: n.Message, Judged: true}
}

// ErrorLine gives "file:line: error: message".
func ErrorLine(e workload.InputError) string { return errorLine(e, false) }

func errorLine(e workload.InputError, s style) string {
	word := s.red("error")
	if e.Judged {
		word = s.yellow("warning")
	}
	return fmt.Sprintf("%s: %s: %s", place(workload.Source{File: e.File, Line: e.Line}), word, Safe(e.Message))
}

func (r *textReport) Finish(t Totals) error {
	if t.Cluster != nil {
		r.coverage(t.Cluster.Coverage)
	}
	r.gap()
	r.printf("%s\n", r.style.bold(summaryLine(t)))
	if t.Denied+t.Warned > 0 {
		r.printf("%s\n", r.style.dim("`probity explain RULE` says why a rule is there, and how to keep it."))
	}
	return r.out.Flush()
}

// summaryLine counts in words: what was found, in how much.
func summaryLine(t Totals) string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	denied := "denied"
	if t.Cluster != nil {
		denied = "would be denied" // it runs already
	}
	add(t.Denied, denied)
	add(t.Warned, plural(t.Warned, "warning"))
	add(t.Exempted, "exempted")
	line := "no findings"
	if len(parts) > 0 {
		line = strings.Join(parts, ", ")
	}
	if len(parts) > 0 && t.Faulty > 0 {
		line += fmt.Sprintf(" in %d of %d %s", t.Faulty, t.Objects, plural(t.Objects, "object"))
	} else {
		line += fmt.Sprintf(" in %d %s", t.Objects, plural(t.Objects, "object"))
	}
	if t.Objects == 0 {
		line = "nothing to judge"
	}
	if t.Mode == validate.ModeOff {
		line = fmt.Sprintf("nothing judged in mode off, %d %s read", t.Objects, plural(t.Objects, "object"))
	}
	if t.Cluster != nil {
		line = t.Cluster.summary(line, t)
	} else {
		line += t.input()
	}
	return strings.ToUpper(line[:1]) + line[1:]
}

// input says what was read, and what could not be.
func (t Totals) input() string {
	line := fmt.Sprintf(" (%d %s, profile %s)", t.Files, plural(t.Files, "file"), t.Profile) + t.troubles("input error")
	if t.Foreign > 0 {
		line += fmt.Sprintf("; %d %s without Kubernetes objects passed over", t.Foreign, plural(t.Foreign, "file"))
	}
	if t.Unrendered > 0 {
		line += fmt.Sprintf("; %d %s to render first", t.Unrendered, plural(t.Unrendered, "folder"))
	}
	return line
}

// troubles counts the errors, by what they are called, and the notices.
func (t Totals) troubles(word string) string {
	line := ""
	if n := t.Errors - t.Harmless; n > 0 {
		line += fmt.Sprintf("; %d %s", n, plural(n, word))
	}
	if t.Harmless > 0 {
		line += fmt.Sprintf("; %d input %s", t.Harmless, plural(t.Harmless, "warning"))
	}
	if t.Notices > 0 {
		line += fmt.Sprintf("; %d %s", t.Notices, plural(t.Notices, "notice"))
	}
	return line
}

// Count gives "1 object" and "2 objects".
func Count(n int, word string) string { return fmt.Sprintf("%d %s", n, plural(n, word)) }

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// place gives "file:line", or the file alone for what is about all of it.
func place(s workload.Source) string {
	if s.Line == 0 {
		return FileName(s.File)
	}
	return fmt.Sprintf("%s:%d", FileName(s.File), s.Line)
}

// gap separates what follows from what stands there.
func (r *textReport) gap() {
	if r.begun {
		r.printf("\n")
	}
	r.begun = true
}

func (r *textReport) wrapped(first, rest, line string) {
	r.printf("%s\n", wrap(line, r.width, first, rest))
}

func (r *textReport) printf(format string, args ...any) { fmt.Fprintf(r.out, format, args...) }
