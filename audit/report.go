package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/probity-dev/probity/escape"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// The fields of both kinds of reports (openreports.io/v1alpha1 Report and
// wgpolicyk8s.io/v1alpha2 PolicyReport), as far as Probity fills them. They differ
// in one: a Report has a source of its own.

type report struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   reportMetadata `json:"metadata"`
	Source     string         `json:"source,omitempty"`
	Scope      *reference     `json:"scope,omitempty"`
	Summary    summary        `json:"summary"`
	Results    []result       `json:"results,omitempty"`
}

type reportMetadata struct {
	Name      string            `json:"name"`
	Namespace string            `json:"namespace"`
	Labels    map[string]string `json:"labels,omitempty"`
	Owners    []owner           `json:"ownerReferences,omitempty"`
	// UID is empty in what is written.
	UID string `json:"uid,omitempty"`
}

type owner struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
}

// reference is a core/v1 ObjectReference.
type reference struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
	UID        string `json:"uid,omitempty"`
}

type summary struct {
	Pass  int `json:"pass"`
	Fail  int `json:"fail"`
	Warn  int `json:"warn"`
	Error int `json:"error"`
	Skip  int `json:"skip"`
}

type result struct {
	Source     string            `json:"source"`
	Policy     string            `json:"policy"`
	Rule       string            `json:"rule,omitempty"`
	Category   string            `json:"category,omitempty"`
	Severity   string            `json:"severity,omitempty"`
	Timestamp  *timestamp        `json:"timestamp,omitempty"`
	Result     string            `json:"result"`
	Scored     bool              `json:"scored,omitempty"`
	Message    string            `json:"message,omitempty"`
	Properties map[string]string `json:"properties,omitempty"`
}

// timestamp is a protobuf Timestamp: when the result was found first.
type timestamp struct {
	Seconds int64 `json:"seconds"`
	Nanos   int32 `json:"nanos"`
}

const (
	reportSource = "probity"
	managedBy    = "app.kubernetes.io/managed-by"

	// maxResults, and what is shown of a text, keep a report at some 200 KiB, far
	// from the 1.5 MiB that etcd takes.
	maxResults  = 100
	maxMessage  = 1000
	maxProperty = 250
	// maxName is how long the name of an object may be.
	maxName = 253
)

// newReport tells what is wrong with an object.
func newReport(api reportAPI, namespace string, f *Faulty) *report {
	r := &report{
		APIVersion: api.APIVersion, Kind: api.Kind,
		Metadata: reportMetadata{
			Name: reportName(f.Ref), Namespace: namespace, Labels: map[string]string{managedBy: reportSource},
			Owners: []owner{{f.Ref.APIVersion, f.Ref.Kind, f.Ref.Name, f.UID}},
		},
		Scope: &reference{f.Ref.APIVersion, f.Ref.Kind, namespace, f.Ref.Name, f.UID},
	}
	if api.hasSource {
		r.Source = reportSource
	}
	for i := range f.Findings {
		r.add(findingResult(&f.Findings[i]))
	}
	for _, p := range f.Problems {
		r.add(problemResult(p))
	}
	for i := range f.Notices {
		if n := &f.Notices[i]; n.Kind != validate.NoticeEnding { // its days would change the report every day
			r.add(noticeResult(n))
		}
	}
	for key, n := range f.more {
		outcome, _ := outcomeOf(key.action)
		r.Summary.count(outcome, n)
	}
	if left := r.Summary.total() - len(r.Results); left > 0 {
		r.Results = append(r.Results, result{
			Source: reportSource, Policy: reportSource, Result: "warn", Severity: "info",
			Message: fmt.Sprintf("%d more are left out here and counted in the summary; `probity audit -n %s` shows all", left, namespace),
		})
	}
	return r
}

// add counts a result, and shows it unless there are too many.
func (r *report) add(one result) {
	r.Summary.count(one.Result, 1)
	if len(r.Results) < maxResults {
		r.Results = append(r.Results, one)
	}
}

func (s *summary) count(outcome string, n int) {
	switch outcome {
	case "fail":
		s.Fail += n
	case "warn":
		s.Warn += n
	case "skip":
		s.Skip += n
	case "error":
		s.Error += n
	}
}

func (s *summary) total() int { return s.Pass + s.Fail + s.Warn + s.Error + s.Skip }

// reportName is the same for an object in every scan, differs from that of every
// other object of the namespace, and can be read:
// probity-deployment-orders-3f6c1a90.
func reportName(ref workload.Ref) string {
	group, _, ok := strings.Cut(ref.APIVersion, "/")
	if !ok {
		group = ""
	}
	sum := sha256.Sum256([]byte(group + "/" + ref.Kind + "/" + ref.Name))
	hash := "-" + hex.EncodeToString(sum[:4])
	name := "probity-" + strings.ToLower(ref.Kind) + "-" + ref.Name
	if len(name) > maxName-len(hash) {
		name = strings.TrimRight(name[:maxName-len(hash)], "-.")
	}
	return name + hash
}

// findingResult fills the fields as readers of reports show them: they group by
// policy, which is the rule here, as each has a page of its own.
func findingResult(f *validate.Finding) result {
	r := result{
		Source: reportSource, Policy: f.Rule, Rule: f.Rule, Scored: true,
		Message:    escape.Short(f.Message, maxMessage),
		Properties: map[string]string{},
	}
	if rule, ok := validate.FindRule(f.Rule); ok {
		r.Category = string(rule.Category)
	}
	r.Result, r.Severity = outcomeOf(actionLabel(f))
	properties := map[string]string{"container": f.Container, "probe": f.Probe, "path": f.Path, "evidence": f.Evidence, "fix": f.Fix}
	if e := f.Exemption; e != nil {
		properties["exemption"], properties["exemptedBy"] = e.String(), e.Source.String()
	}
	for name, value := range properties {
		if value != "" {
			r.Properties[name] = escape.Short(value, maxProperty)
		}
	}
	return r
}

// outcomeOf returns the words of reports for a finding's action, which is a label of
// metrics.
func outcomeOf(action string) (outcome, severity string) {
	switch action {
	case exemptLabel:
		return "skip", "info"
	case validate.Deny.String():
		return "fail", "high"
	default:
		return "warn", "medium"
	}
}

// noticeResult tells of an exemption that is over, not legal, or of no use, and of
// other labels and annotations that are.
func noticeResult(n *validate.Notice) result {
	r := result{Source: reportSource, Policy: reportSource, Rule: "exemption", Result: "warn", Severity: "low", Message: escape.Short(n.Message, maxMessage)}
	switch n.Kind {
	case validate.NoticeInjection:
		r.Rule = "injection"
	case validate.NoticeUnread:
		r.Rule = "annotation"
	}
	if n.Path != "" {
		r.Properties = map[string]string{"path": escape.Short(n.Path, maxProperty)}
	}
	return r
}

func problemResult(p workload.Problem) result {
	return result{
		Source: reportSource, Policy: reportSource, Result: "error", Severity: "info",
		Message:    escape.Short(p.Path+" could not be judged: "+p.Message, maxMessage),
		Properties: map[string]string{"path": escape.Short(p.Path, maxProperty)},
	}
}

// same reports whether the cluster's report says what r says. Times do not count,
// and neither do labels and owners that others have added.
func (r *report) same(there *report) bool {
	for label, value := range r.Metadata.Labels {
		if there.Metadata.Labels[label] != value {
			return false
		}
	}
	a, b := r.comparable(), there.comparable()
	return reflect.DeepEqual(a, b)
}

// comparable returns the report without what does not count.
func (r *report) comparable() report {
	c := *r
	c.Metadata = reportMetadata{Owners: r.Metadata.Owners}
	c.APIVersion, c.Kind = "", "" // items of lists have none
	c.Results = make([]result, len(r.Results))
	for i := range r.Results {
		c.Results[i] = r.Results[i].comparable()
	}
	return c
}

func (r result) comparable() result {
	r.Timestamp = nil
	if len(r.Properties) == 0 {
		r.Properties = nil
	}
	return r
}

// date gives each result the time at which its field was found to break the rule
// first: that of the cluster's report, nil for none, where it is there already.
func (r *report) date(there *report, now time.Time) {
	for i := range r.Results {
		one := &r.Results[i]
		one.Timestamp = &timestamp{Seconds: now.Unix()}
		if there == nil {
			continue
		}
		for j := range there.Results {
			old := &there.Results[j]
			if old.Timestamp != nil && old.Policy == one.Policy && old.Properties["path"] == one.Properties["path"] {
				one.Timestamp = old.Timestamp
			}
		}
	}
}
