package report

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/probity-dev/probity/workload"
)

// markdownReport is for comments on a change and for summaries of a job: a table
// of findings, a list of input errors.
type markdownReport struct {
	out      *bufio.Writer
	findings strings.Builder
	errors   strings.Builder
	notices  strings.Builder
}

func newMarkdown(out Output) Handler { return &markdownReport{out: bufio.NewWriter(out.Writer)} }

func (r *markdownReport) Object(o Object) error {
	for _, f := range o.Findings {
		text := f.Fix
		if f.Exemption != nil {
			text = "Exempted " + exemption(f.Finding)
		}
		fmt.Fprintf(&r.findings, "| **%s** | %s | %s | %s. %s | %s |\n",
			style(false).action(f.Finding), Markdown(place(f.Source)), Markdown(o.Ref.String()), Markdown(f.Message), Markdown(text), f.Rule)
	}
	return nil
}

func (r *markdownReport) InputError(e workload.InputError) error {
	word := "error"
	if e.Judged {
		word = "warning"
	}
	fmt.Fprintf(&r.errors, "- %s: **%s**: %s\n", Markdown(place(workload.Source{File: e.File, Line: e.Line})), word, Markdown(e.Message))
	return nil
}

func (r *markdownReport) Notice(n Notice) error {
	fmt.Fprintf(&r.notices, "- %s: %s\n", Markdown(place(n.Source)), Markdown(n.Message))
	return nil
}

func (r *markdownReport) Finish(t Totals) error {
	fmt.Fprintf(r.out, "## Probity\n\n%s.\n", summaryLine(t))
	if r.findings.Len() > 0 {
		fmt.Fprintf(r.out, "\n| action | where | object | finding | rule |\n| --- | --- | --- | --- | --- |\n%s", r.findings.String())
	}
	if r.errors.Len() > 0 {
		fmt.Fprintf(r.out, "\n### Input errors\n\n%s", r.errors.String())
	}
	if r.notices.Len() > 0 {
		fmt.Fprintf(r.out, "\n### Exemptions\n\n%s", r.notices.String())
	}
	return r.out.Flush()
}

// Markdown returns text so that Markdown shows it as it is: no markup, no cell
// border, no mention of a user, no HTML.
func Markdown(s string) string {
	var b strings.Builder
	for _, r := range Safe(s) {
		switch {
		case r == '@':
			b.WriteString("&#64;")
			continue
		case r == '<':
			b.WriteString("&lt;")
			continue
		case r == '&':
			b.WriteString("&amp;")
			continue
		case strings.ContainsRune("\\`*_[]|#~", r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
