package validate

import (
	"strconv"
	"strings"

	"github.com/probity-dev/probity/escape"
	"github.com/probity-dev/probity/workload"
)

// Finding is one rule broken at one field.
type Finding struct {
	Rule   string       `json:"rule"`
	Action Action       `json:"action"`
	Object workload.Ref `json:"object"`
	// Container is empty for findings about the whole workload or a budget.
	Container string `json:"container,omitzero"`
	// Probe is "liveness", "readiness", "startup", or empty.
	Probe string `json:"probe,omitzero"`
	// Path is the field path from the object's root.
	Path string `json:"path"`
	// Message says who, which field, what is wrong, and why in a clause.
	Message string `json:"message"`
	// Evidence is the part of the manifest that proves it.
	Evidence string `json:"evidence,omitzero"`
	// Fix says what to do, in a sentence.
	Fix string `json:"fix"`
	// Exempted is set when an exemption covers the finding; Action then is Off.
	Exempted bool `json:"exempted,omitzero"`
	// Exemption is what covers it; nil for a finding that is not exempted.
	Exemption *AppliedExemption `json:"-"`
}

// Unexempted returns the action that the finding has without its exemption.
func (f *Finding) Unexempted() Action {
	if f.Exemption != nil {
		return f.Exemption.Action
	}
	return f.Action
}

// Reinstate takes the exemption from the finding.
func (f *Finding) Reinstate() {
	f.Action, f.Exempted, f.Exemption = f.Unexempted(), false, nil
}

// String is the finding as people read it:
//
//	container "app": livenessProbe.exec asks ...; a restart ... . Check it in readiness. [liveness-dependency-exec]
func (f *Finding) String() string {
	return f.Message + ". " + f.Fix + " [" + f.Rule + "]"
}

// Warning is the finding as an admission warning: the rule and the path come
// first, since the API server may cut the end.
func (f *Finding) Warning() string {
	if strings.HasPrefix(f.Message, f.Path+" ") {
		return "[" + f.Rule + "] " + f.Message + ". " + f.Fix
	}
	return "[" + f.Rule + "] " + f.Path + ": " + f.Message + ". " + f.Fix
}

// Report is what a rule says of one broken field.
type Report struct {
	// Field is the path below the probe (".timeoutSeconds"), the container or
	// the workload that it is reported on; empty means the thing itself.
	Field string
	// Text continues the sentence that starts with the field: "asks host
	// \"db\" (pg_isready -h db); a restart cannot fix another host, so ...".
	Text string
	// Fix is a sentence with its full stop: what to do, in this case.
	Fix string
	// Evidence is the part of the manifest that proves it.
	Evidence string
	// Likely is set when the evidence is strong but no proof.
	Likely bool
}

// subject is the part of a message before Text.
func subject(c *workload.Container, field string) string {
	if c == nil {
		return field
	}
	if field == "" {
		return "container " + strconv.Quote(c.Name) + ":"
	}
	return "container " + strconv.Quote(c.Name) + ": " + strings.TrimPrefix(field, ".")
}

// maxQuote is how much of a value of any length a message shows, in bytes.
const maxQuote = 120

// quote puts a value of the manifest in quotes, cut when it is long.
func quote(s string) string {
	return strconv.Quote(escape.Begin(s, maxQuote))
}
