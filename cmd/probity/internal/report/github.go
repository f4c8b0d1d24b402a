package report

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// githubReport writes workflow commands, which GitHub shows as annotations at
// their lines (docs.github.com, "Workflow commands for GitHub Actions").
type githubReport struct{ out *bufio.Writer }

func newGitHub(out Output) Handler { return &githubReport{bufio.NewWriter(out.Writer)} }

func (r *githubReport) Object(o Object) error {
	for _, f := range o.Findings {
		command := "warning"
		switch {
		case f.Exempted:
			command = "notice"
		case f.Action == validate.Deny:
			command = "error"
		}
		text := f.Fix
		if f.Exemption != nil {
			text = "Exempted " + exemption(f.Finding)
		}
		r.command(command, f.Source, f.Rule, fmt.Sprintf("%s: %s. %s", o.Ref, f.Message, text))
	}
	return r.out.Flush()
}

func (r *githubReport) InputError(e workload.InputError) error {
	command := "error"
	if e.Judged {
		command = "warning"
	}
	r.command(command, workload.Source{File: e.File, Line: e.Line}, "input", e.Message)
	return r.out.Flush()
}

func (r *githubReport) Notice(n Notice) error {
	r.command("warning", n.Source, "exemption", n.Message)
	return r.out.Flush()
}

func (r *githubReport) Finish(t Totals) error {
	fmt.Fprintln(r.out, summaryLine(t))
	return r.out.Flush()
}

func (r *githubReport) command(command string, at workload.Source, title, message string) {
	line := ""
	if at.Line > 0 {
		line = fmt.Sprintf(",line=%d", at.Line)
	}
	fmt.Fprintf(r.out, "::%s file=%s%s,title=%s::%s\n",
		command, githubProperty(at.File), line, githubProperty("probity "+title), githubData(message))
}

// githubData and githubProperty escape as github.com/actions/toolkit does
// (packages/core/src/command.ts).
func githubData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(Safe(s))
}

func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(s))
}
