package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/escape"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

var update = flag.Bool("update", false, "write the golden files")

// give hands one of everything to a handler.
func give(t *testing.T, h Handler) {
	t.Helper()
	totals := Totals{Files: 3, Foreign: 1, Faulty: 2, Mode: validate.ModeEnforce}
	object := func(o Object) {
		totals.Objects++
		for _, f := range o.Findings {
			totals.Add(f.Finding)
		}
		if err := h.Object(o); err != nil {
			t.Fatal(err)
		}
	}
	orders := workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "orders"}
	at := func(line int) workload.Source { return workload.Source{File: "deploy/my app.yaml", Line: line} }
	finding := func(action validate.Action, line int) Finding {
		return Finding{Source: at(line), Finding: validate.Finding{
			Rule: "probe-timeout-period", Action: action, Object: orders, Container: "app", Probe: "liveness",
			Path:    "spec.template.spec.containers[0].livenessProbe.timeoutSeconds",
			Message: `container "app": livenessProbe.timeoutSeconds is 10, a | b @team <b>`, Evidence: "timeoutSeconds 10",
			Fix: "Set timeoutSeconds 9, or 50%.",
		}}
	}
	exempted := finding(validate.Off, 9)
	exempted.Exempted = true
	exempted.Exemption = &validate.AppliedExemption{
		Source: validate.ByOwnAnnotation, Reason: "until <the> next release", Until: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC), Action: validate.Deny,
	}
	listed := finding(validate.Off, 10)
	listed.Exempted = true
	listed.Exemption = &validate.AppliedExemption{Source: validate.ByConfiguration, Reason: "a chart of others", Line: 12, Action: validate.Warn}
	object(Object{Ref: orders, Source: at(1), Findings: []Finding{finding(validate.Deny, 7), finding(validate.Warn, 8), exempted}})
	object(Object{Ref: workload.Ref{APIVersion: "v1", Kind: "Pod", Name: "good"}, Source: at(20)})
	object(Object{Ref: workload.Ref{APIVersion: "v1", Kind: "Pod", Name: "exempted"}, Source: at(22), Findings: []Finding{listed}})
	totals.Notices++
	if err := h.Notice(Notice{Source: at(25), Message: "Pod exempted: the exemption ends | soon"}); err != nil {
		t.Fatal(err)
	}
	for _, e := range []workload.InputError{
		{File: "deploy/my app.yaml", Line: 30, Message: `Pod b: key "name" stands twice`, Judged: true},
		{File: "/abs/x.yaml", Message: "no such file, or directory: x"},
	} {
		totals.Errors++
		if err := h.InputError(e); err != nil {
			t.Fatal(err)
		}
	}
	evil := orders
	evil.Name = "e\x1b[31mvil\u202e"
	bad := finding(validate.Deny, 3)
	bad.Message = "a\x1b]0;title\a\r\n::error::b\u009b"
	bad.Source.File = "b.yaml"
	object(Object{Ref: evil, Source: bad.Source, Findings: []Finding{bad}})
	if err := h.Finish(totals); err != nil {
		t.Fatal(err)
	}
}

func TestFormatsGolden(t *testing.T) {
	for _, format := range Formats() {
		t.Run(format, func(t *testing.T) {
			got := render(t, format)
			if i := bytes.IndexFunc(got, func(r rune) bool { return r != '\n' && escape.Hidden(r) }); i >= 0 {
				t.Errorf("a character that acts on a terminal at %d: %q", i, got[max(i-20, 0):i+5])
			}
			if format == "sarif" {
				got = withoutRules(t, got)
			}
			name := filepath.Join("testdata", format+".golden")
			if *update {
				if err := os.WriteFile(name, got, 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func render(t *testing.T, format string) []byte {
	t.Helper()
	var out bytes.Buffer
	h, err := New(format, Output{Writer: &out, Version: "v0.1.0"})
	if err != nil {
		t.Fatal(err)
	}
	give(t, h)
	return out.Bytes()
}

// withoutRules takes the list of rules, and places in it, out of a SARIF log:
// they change with every rule.
func withoutRules(t *testing.T, log []byte) []byte {
	t.Helper()
	var l sarifLog
	if err := json.Unmarshal(log, &l); err != nil {
		t.Fatal(err)
	}
	l.Runs[0].Tool.Driver.Rules = nil
	for i := range l.Runs[0].Results {
		l.Runs[0].Results[i].RuleIndex = 0
	}
	var out bytes.Buffer
	if err := WriteJSON(Output{Writer: &out}, l); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestNewNamesTheLegalFormats(t *testing.T) {
	_, err := New("xml", Output{})
	want := `output format "xml" is not legal: must be text, json, sarif, junit, github or markdown`
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}
