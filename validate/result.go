package validate

import (
	"time"

	"github.com/probity-dev/probity/workload"
)

// CheckResult is what a check of many objects found, in the form of
// `probity check -o json`. The form is stable: fields may be added.
type CheckResult struct {
	APIVersion string                `json:"apiVersion"`
	Kind       string                `json:"kind"`
	Findings   []ResultFinding       `json:"findings"`
	Errors     []workload.InputError `json:"errors"`
	// Notices are about exemptions and other annotations. They do not change the exit status.
	Notices []ResultNotice `json:"notices"`
	Summary Summary        `json:"summary"`
	// Coverage is there for a cluster only.
	Coverage []ResultCoverage `json:"coverage,omitempty"`
}

// ResultNotice says what is wrong with an annotation, or that an exemption is over, ends
// soon or is not needed. File and Line are where it stands.
type ResultNotice struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// ResultExemption says by what a finding is exempted.
type ResultExemption struct {
	// Source is "annotation" or "configuration".
	Source ExemptionSource `json:"source"`
	Reason string          `json:"reason"`
	// Until is the last day, such as 2027-01-31; empty: without end.
	Until string `json:"until"`
	// Action is what the finding would do.
	Action Action `json:"action"`
}

// ResultCoverage is a Coverage in JSON.
type ResultCoverage struct {
	Object  ResultObject `json:"object"`
	Pods    int32        `json:"pods"`
	Covered bool         `json:"covered"`
	Budgets []string     `json:"budgets"`
}

// The apiVersion and kind of a CheckResult.
const (
	ResultAPIVersion = "probity.dev/v1alpha1"
	ResultKind       = "CheckResult"
)

// ResultFinding is a finding with its place. All fields are there in JSON, also
// when empty.
type ResultFinding struct {
	Rule      string       `json:"rule"`
	Action    Action       `json:"action"`
	Object    ResultObject `json:"object"`
	Container string       `json:"container"`
	Probe     string       `json:"probe"`
	Path      string       `json:"path"`
	Message   string       `json:"message"`
	Evidence  string       `json:"evidence"`
	Fix       string       `json:"fix"`
	Exempted  bool         `json:"exempted"`
	// Exemption is there for a finding that is exempted.
	Exemption *ResultExemption `json:"exemption,omitempty"`
	Source    workload.Source  `json:"source"`
}

// ResultObject is a workload.Ref of which all fields are there in JSON.
type ResultObject struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// Summary counts what a check found.
type Summary struct {
	// Objects are those that were judged: workloads and budgets.
	Objects int `json:"objects"`
	// Denied, Warned and Exempted count findings.
	Denied   int `json:"denied"`
	Warned   int `json:"warned"`
	Exempted int `json:"exempted"`
	// Errors counts what is wrong with the input.
	Errors int `json:"errors"`
}

// Add counts a finding.
func (s *Summary) Add(f Finding) {
	switch {
	case f.Exempted:
		s.Exempted++
	case f.Action == Deny:
		s.Denied++
	case f.Action == Warn:
		s.Warned++
	}
}

// At returns the finding as part of a result.
func (f Finding) At(source workload.Source) ResultFinding {
	r := ResultFinding{
		Rule: f.Rule, Action: f.Action, Object: ResultObject(f.Object), Container: f.Container, Probe: f.Probe,
		Path: f.Path, Message: f.Message, Evidence: f.Evidence, Fix: f.Fix, Exempted: f.Exempted, Source: source,
	}
	if e := f.Exemption; e != nil {
		r.Exemption = &ResultExemption{Source: e.Source, Reason: e.Reason, Action: e.Action}
		if !e.Until.IsZero() {
			r.Exemption.Until = e.Until.Format(time.DateOnly)
		}
	}
	return r
}
