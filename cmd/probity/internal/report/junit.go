package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// junitReport writes the XML that CI systems read as test results: a suite a
// file, a case an object. What denies fails the case, what warns stands in its
// output.
type junitReport struct {
	out    Output
	suites junitSuites
	byFile map[string]*junitSuite
}

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Suites []*junitSuite `xml:"testsuite"`
}

type junitCounts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr,omitempty"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Cases []junitCase `xml:"testcase"`
	// clean finds the cases without findings: an object comes again when it has
	// some together with others, and is one case all the same.
	clean map[junitCase]int
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Class     string        `xml:"classname,attr"`
	File      string        `xml:"file,attr"`
	Line      int           `xml:"line,attr,omitempty"`
	Failure   *junitProblem `xml:"failure"`
	Error     *junitProblem `xml:"error"`
	Skipped   *junitSkipped `xml:"skipped"`
	SystemOut string        `xml:"system-out,omitempty"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

func newJUnit(out Output) Handler {
	return &junitReport{out: out, suites: junitSuites{Name: "probity"}, byFile: map[string]*junitSuite{}}
}

func (r *junitReport) Object(o Object) error {
	c := junitCase{Name: Safe(o.Ref.String())}
	var denied, rest, rules, exempted []string
	for _, f := range o.Findings {
		line := fmt.Sprintf("%s: %s: %s", place(f.Source), style(false).action(f.Finding), Safe(f.String()))
		if f.Action == validate.Deny && !f.Exempted {
			denied, rules = append(denied, line), append(rules, f.Rule)
			continue
		}
		if f.Exemption != nil {
			line += " " + Safe(exemption(f.Finding))
			exempted = append(exempted, f.Rule)
		}
		rest = append(rest, line)
	}
	if len(exempted) > 0 && len(exempted) == len(o.Findings) {
		// Nothing but exempted findings: the test was not passed, it was skipped.
		c.Skipped = &junitSkipped{"exempted: " + strings.Join(exempted, ", ")}
	}
	if len(denied) > 0 {
		c.Failure = &junitProblem{Message: strings.Join(rules, ", "), Type: "deny", Text: strings.Join(denied, "\n")}
	}
	c.SystemOut = strings.Join(rest, "\n")
	r.add(o.Source, c)
	return nil
}

func (r *junitReport) InputError(e workload.InputError) error {
	at := workload.Source{File: e.File, Line: e.Line}
	c := junitCase{Name: "input at line " + fmt.Sprint(e.Line)}
	if e.Line == 0 {
		c.Name = "input"
	}
	if e.Judged {
		c.SystemOut = Safe(e.Message)
	} else {
		c.Error = &junitProblem{Message: Safe(e.Message), Type: "input", Text: place(at) + ": " + Safe(e.Message)}
	}
	r.add(at, c)
	return nil
}

func (r *junitReport) Notice(n Notice) error {
	r.add(n.Source, junitCase{Name: "exemption", SystemOut: Safe(n.Message)})
	return nil
}

// add puts a case into the suite of its file.
func (r *junitReport) add(at workload.Source, c junitCase) {
	file := Safe(at.File)
	c.Class, c.File, c.Line = file, file, at.Line
	suite := r.byFile[file]
	if suite == nil {
		suite = &junitSuite{Name: file, clean: map[junitCase]int{}}
		r.suites.Suites, r.byFile[file] = append(r.suites.Suites, suite), suite
	}
	counts := []*junitCounts{&r.suites.junitCounts, &suite.junitCounts}
	key := junitCase{Name: c.Name, Class: file, File: file, Line: at.Line}
	if i, known := suite.clean[key]; known {
		suite.Cases[i] = c
	} else {
		if c == key {
			suite.clean[key] = len(suite.Cases)
		}
		suite.Cases = append(suite.Cases, c)
		for _, n := range counts {
			n.Tests++
		}
	}
	for _, n := range counts {
		if c.Failure != nil {
			n.Failures++
		}
		if c.Error != nil {
			n.Errors++
		}
		if c.Skipped != nil {
			n.Skipped++
		}
	}
}

func (r *junitReport) Finish(Totals) error {
	if _, err := io.WriteString(r.out.Writer, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(r.out.Writer)
	enc.Indent("", "  ")
	if err := enc.Encode(r.suites); err != nil {
		return err
	}
	_, err := io.WriteString(r.out.Writer, "\n")
	return err
}
