package main

import (
	"fmt"

	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// namespace tells what admission would tell of a namespace's labels and annotations.
// Labels that are not legal would be refused there, so they are an error.
func (j judge) namespace(d workload.Document) (result judged) {
	ns := d.Object.Namespace
	tell := func(field, message string) {
		source := workload.Source{File: d.Source.File, Line: d.Line(field)}
		result.notices = append(result.notices, placedNotice{report.Notice{Source: source, Message: fmt.Sprintf("%s: %s: %s", d.Object.Ref, field, message)}, false})
	}
	for _, message := range validate.UnknownLabels(ns.Labels) {
		tell("metadata.labels", message)
	}
	for _, message := range validate.UnknownAnnotations(ns.Annotations) {
		tell("metadata.annotations", message)
	}
	if j.modeless && len(validate.IdleLabels(ns.Labels)) > 0 {
		tell("metadata.labels", fmt.Sprintf("without label %s the other labels of Probity do nothing, unless its configuration has a default mode", workload.LabelMode))
	}
	if problem := validate.NamespaceSettings(ns.Labels, validate.Settings{}).Problem; problem != "" {
		result.failure = &workload.InputError{
			File: d.Source.File, Line: d.Line("metadata.labels"),
			Message: fmt.Sprintf("%s: metadata.labels: %s", d.Object.Ref, problem),
		}
	}
	return result
}
