package report

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

const (
	homePage = "https://github.com/probity-dev/probity"
	// rulePages is where the pages of docs/rules can be read.
	rulePages = homePage + "/blob/main/docs/rules/"
	// schemaURI names the schema that the log follows.
	schemaURI = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// sarifReport writes SARIF 2.1.0, which code scanning reads (docs.oasis-open.org,
// sarif-v2.1.0).
type sarifReport struct {
	out   Output
	run   sarifRun
	index map[string]int // of a rule in the tool's list
}

func newSARIF(out Output) Handler {
	r := &sarifReport{out: out, index: map[string]int{}}
	r.run = sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "probity", Version: out.Version, InformationURI: homePage, Rules: []sarifRule{},
		}},
		Results:    []sarifResult{},
		ColumnKind: "utf16CodeUnits",
		Bases:      map[string]sarifBase{sourceRoot: {Description: sarifText{"The folder in which Probity ran."}}},
	}
	for i, rule := range validate.Rules() {
		r.index[rule.ID] = i
		r.run.Tool.Driver.Rules = append(r.run.Tool.Driver.Rules, newSARIFRule(rule))
	}
	return r
}

func newSARIFRule(rule *validate.Rule) sarifRule {
	why, fix := strings.TrimSpace(rule.Why), strings.TrimSpace(rule.Fix)
	return sarifRule{
		ID: rule.ID, Name: rule.ID, HelpURI: rulePages + rule.ID + ".md",
		Short: sarifText{rule.Title + "."}, Full: sarifText{strings.ReplaceAll(why, "\n", " ")},
		Help: sarifHelp{
			Text:     why + "\n\nHow to fix: " + fix,
			Markdown: why + "\n\n**How to fix.** " + fix,
		},
		Default:    sarifConfiguration{level(rule.Action.Baseline)},
		Properties: sarifTags{Tags: []string{"kubernetes", "probes", strings.ToLower(strings.ReplaceAll(string(rule.Category), " ", "-"))}},
	}
}

// level maps an action to SARIF's; a rule that is off by default is a note.
func level(a validate.Action) string {
	return [...]string{validate.Off: "note", validate.Warn: "warning", validate.Deny: "error"}[a]
}

func (r *sarifReport) Object(o Object) error {
	for _, f := range o.Findings {
		result := sarifResult{
			RuleID: f.Rule, RuleIndex: r.index[f.Rule], Level: level(f.Action),
			Message:      sarifText{unlinked(f.Message + ". " + f.Fix)},
			Locations:    []sarifLocation{newSARIFLocation(f.Source, o.Ref, f.Path)},
			Fingerprints: map[string]string{"probityFinding/v1": fingerprint(o.Ref, f)},
		}
		if f.Exempted {
			result.Suppressions = []sarifSuppression{suppression(f.Exemption)}
		}
		r.run.Results = append(r.run.Results, result)
	}
	return nil
}

// suppression says by what a finding is exempted: an annotation stands in the
// source, the configuration does not.
func suppression(by *validate.AppliedExemption) sarifSuppression {
	switch {
	case by == nil:
		return sarifSuppression{Kind: "inSource"}
	case by.Source == validate.ByConfiguration:
		return sarifSuppression{Kind: "external", Justification: by.String()}
	default:
		return sarifSuppression{Kind: "inSource", Justification: by.String()}
	}
}

// unlinked takes the links out of a message, which viewers make of [text](target)
// (SARIF 2.1.0, 3.11.6, embedded links).
func unlinked(message string) string { return strings.ReplaceAll(message, "](", "] (") }

// fingerprint names a finding by what it is about, so that it is the same one
// when lines move.
func fingerprint(ref workload.Ref, f Finding) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{
		f.Rule, ref.APIVersion, ref.Kind, ref.Namespace, ref.Name, f.Container, f.Probe, f.Evidence,
	}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

func (r *sarifReport) InputError(e workload.InputError) error {
	n := sarifNotification{
		Level: "error", Message: sarifText{unlinked(e.Message)},
		Locations: []sarifLocation{newSARIFLocation(workload.Source{File: e.File, Line: e.Line}, workload.Ref{}, "")},
	}
	if e.Judged {
		n.Level = "warning"
	}
	r.run.invocation().Notifications = append(r.run.invocation().Notifications, n)
	return nil
}

func (r *sarifReport) Notice(n Notice) error { return r.InputError(n.inputError()) }

func (r *sarifReport) Finish(Totals) error {
	invocation := r.run.invocation()
	invocation.Successful = true
	for _, n := range invocation.Notifications {
		invocation.Successful = invocation.Successful && n.Level != "error"
	}
	return WriteJSON(r.out, sarifLog{
		Schema: schemaURI, Version: "2.1.0", Runs: []sarifRun{r.run},
	})
}

// sourceRoot is the name under which code scanning knows the repository's root.
const sourceRoot = "%SRCROOT%"

func newSARIFLocation(at workload.Source, ref workload.Ref, path string) sarifLocation {
	var l sarifLocation
	l.Physical.Artifact.URI = fileURI(at.File)
	if !filepath.IsAbs(at.File) {
		l.Physical.Artifact.Base = sourceRoot
	}
	if at.Line > 0 {
		l.Physical.Region = &sarifRegion{at.Line}
	}
	if ref.Kind != "" {
		l.Logical = []sarifLogical{{Name: ref.String(), Qualified: ref.String() + ": " + path, Kind: "resource"}}
	}
	return l
}

// fileURI turns a path into a URI reference with slashes.
func fileURI(path string) string {
	u := url.URL{Path: filepath.ToSlash(filepath.Clean(path))}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
		if !strings.HasPrefix(u.Path, "/") {
			u.Path = "/" + u.Path
		}
	}
	return u.String()
}
