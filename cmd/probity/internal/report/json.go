package report

import (
	"bytes"
	"encoding/json"

	"github.com/probity-dev/probity/escape"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// jsonReport writes one validate.CheckResult.
type jsonReport struct {
	out    Output
	result validate.CheckResult
}

func newJSON(out Output) Handler {
	return &jsonReport{out: out, result: validate.CheckResult{
		APIVersion: validate.ResultAPIVersion, Kind: validate.ResultKind,
		Findings: []validate.ResultFinding{}, Errors: []workload.InputError{}, Notices: []validate.ResultNotice{},
	}}
}

func (r *jsonReport) Object(o Object) error {
	for _, f := range o.Findings {
		r.result.Findings = append(r.result.Findings, f.At(f.Source))
	}
	return nil
}

func (r *jsonReport) InputError(e workload.InputError) error {
	r.result.Errors = append(r.result.Errors, e)
	return nil
}

func (r *jsonReport) Notice(n Notice) error {
	r.result.Notices = append(r.result.Notices, validate.ResultNotice{File: n.Source.File, Line: n.Source.Line, Message: n.Message})
	return nil
}

func (r *jsonReport) Finish(t Totals) error {
	r.result.Summary = t.Summary
	if t.Cluster != nil {
		r.result.Coverage = coverageResult(t.Cluster.Coverage)
	}
	return WriteJSON(r.out, r.result)
}

func coverageResult(all []validate.Coverage) []validate.ResultCoverage {
	result := make([]validate.ResultCoverage, len(all))
	for i, c := range all {
		result[i] = validate.ResultCoverage{Object: validate.ResultObject(c.Object), Pods: c.Pods, Covered: c.Covered, Budgets: append([]string{}, c.Budgets...)}
	}
	return result
}

// WriteJSON writes a value, indented, so that it can be read on a terminal, too.
func WriteJSON(out Output, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := escape.JSON(out.Writer).Write(text.Bytes())
	return err
}
