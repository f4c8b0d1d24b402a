package workload

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Prefix is what the names of all labels and annotations of Probity begin with.
const Prefix = "probity.dev/"

// Labels and annotations that Probity reads and writes.
const (
	// LabelMode on a namespace: enforce, warn, audit or off.
	LabelMode = "probity.dev/mode"
	// LabelProfile on a namespace: baseline or strict.
	LabelProfile = "probity.dev/profile"
	// LabelInject on a namespace: all, startup, budget or none.
	LabelInject = "probity.dev/inject"

	// AnnotationInject on a workload: as LabelInject, for this workload.
	AnnotationInject = "probity.dev/inject"
	// AnnotationStartupBudget on a workload: a duration such as 10m.
	AnnotationStartupBudget = "probity.dev/startup-budget"
	// AnnotationExempt on a workload: rule ids, comma separated.
	AnnotationExempt = "probity.dev/exempt"
	// AnnotationExemptReason is required beside AnnotationExempt.
	AnnotationExemptReason = "probity.dev/exempt-reason"
	// AnnotationExemptUntil is a date such as 2027-01-31.
	AnnotationExemptUntil = "probity.dev/exempt-until"
	// AnnotationInjected is written by Probity on a pod template: what it
	// injected there, such as "startup:app,worker".
	AnnotationInjected = "probity.dev/injected"
)

// lastApplied holds a second copy of the whole object; no rule reads it.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Annotations of an object, without kubectl's copy of the object.
type Annotations map[string]string

// UnmarshalJSONFrom skips the value of lastApplied instead of copying it.
func (a *Annotations) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*a = nil
	if dec.PeekKind() != '{' {
		return json.UnmarshalDecode(dec, (*map[string]string)(a))
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		if key == lastApplied {
			if err := dec.SkipValue(); err != nil {
				return err
			}
			continue
		}
		var value string
		if err := json.UnmarshalDecode(dec, &value); err != nil {
			return err
		}
		if *a == nil {
			*a = Annotations{}
		}
		(*a)[key] = value
	}
	_, err := dec.ReadToken()
	return err
}
