package validate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/probity-dev/probity/validate/internal/spelling"
	"github.com/probity-dev/probity/workload"
)

// annotated is what an object's own annotations exempt it from.
type annotated struct {
	// rules are those that are named and may be; none when the annotations are
	// not legal.
	rules []string
	term  term
}

// Field paths of what names an object's own.
const (
	annotationsPath = "metadata.annotations"
	labelsPath      = "metadata.labels"
)

// AnnotationPath is the field path of an annotation.
func AnnotationPath(key string) string { return namePath(annotationsPath, key) }

func namePath(path, key string) string { return path + "[" + strconv.Quote(key) + "]" }

// readAnnotations reads an object's exemption. An id that is not legal exempts
// from nothing, and leaves the other ids alone: the ids of a later version, or of
// an earlier one, must not void them. Without a reason, or with a date that is
// not legal, nothing is exempted.
func (x *exempting) readAnnotations(annotations workload.Annotations) {
	list, ok := annotations[workload.AnnotationExempt]
	if !ok {
		x.unusedParts(annotations)
		return
	}
	if len(x.exemptions.ByAnnotation.Rules) == 0 {
		x.illegal(workload.AnnotationExempt, "is not heeded: the configuration allows no exemptions by annotation")
		return
	}
	named := x.namedRules(list)
	reason := strings.TrimSpace(annotations[workload.AnnotationExemptReason])
	if reason == "" {
		x.illegal(workload.AnnotationExempt, "exempts from nothing without a reason: annotation %s must say why", workload.AnnotationExemptReason)
		named = nil
	}
	until, ok := x.until(annotations)
	if !ok {
		named = nil
	}
	x.own = annotated{rules: named, term: term{Source: ByOwnAnnotation, Reason: reason, Until: until}}
}

// namedRules returns the ids of a list that may be named, each once.
func (x *exempting) namedRules(list string) []string {
	var named []string
	words := 0
	for id := range strings.SplitSeq(list, ",") {
		if id = strings.TrimSpace(id); id == "" {
			continue
		}
		words++
		switch _, known := FindRule(id); {
		case words > maxNamedRules:
			x.illegal(workload.AnnotationExempt, "names more than %d rules; the others are not read", maxNamedRules)
			return named
		case !known && strings.ContainsAny(id, " \t\n;"):
			x.illegal(workload.AnnotationExempt, "rule %s does not exist: rules are separated by commas", quote(id))
		case !known:
			x.illegal(workload.AnnotationExempt, "rule %s does not exist: %s", quote(id), meant(id))
		case !slices.Contains(x.exemptions.ByAnnotation.Rules, id):
			x.illegal(workload.AnnotationExempt, "must not name %s: the configuration allows only %s", id, strings.Join(x.exemptions.ByAnnotation.Rules, ", "))
		case !slices.Contains(named, id):
			named = append(named, id)
		}
	}
	if words == 0 {
		x.illegal(workload.AnnotationExempt, "is empty: must be the ids of rules, separated by commas")
	}
	return named
}

// maxNamedRules is more than there are, and bounds what a wrong list costs.
const maxNamedRules = 100

// meant says what is legal in place of an id.
func meant(id string) string {
	if near := spelling.Nearest(id, ruleIDs()); near != "" {
		return "did you mean " + strconv.Quote(near) + "?"
	}
	return "`probity explain` lists all"
}

// until reads the last day; ok is false when there must be another.
func (x *exempting) until(annotations workload.Annotations) (day time.Time, ok bool) {
	text, given := annotations[workload.AnnotationExemptUntil]
	if !given {
		if x.exemptions.ByAnnotation.RequireUntil {
			x.illegal(workload.AnnotationExempt, "exempts from nothing without an end, which the configuration requires: annotation %s must be a date such as 2027-01-31",
				workload.AnnotationExemptUntil)
			return day, false
		}
		return day, true
	}
	day, err := time.Parse(time.DateOnly, strings.TrimSpace(text))
	if err != nil {
		x.illegal(workload.AnnotationExemptUntil, "is %s, so nothing is exempted: must be a date such as 2027-01-31", quote(text))
		return day, false
	}
	return day, true
}

// unusedParts notes a reason or an end of no exemption.
func (x *exempting) unusedParts(annotations workload.Annotations) {
	for _, key := range [...]string{workload.AnnotationExemptReason, workload.AnnotationExemptUntil} {
		if _, ok := annotations[key]; ok {
			x.notices = append(x.notices, Notice{
				Kind: NoticeIllegal, Path: AnnotationPath(key),
				Message: fmt.Sprintf("annotation %s: says nothing without annotation %s", key, workload.AnnotationExempt),
			})
		}
	}
}

func (x *exempting) illegal(key, format string, args ...any) {
	x.notices = append(x.notices, Notice{
		Kind: NoticeIllegal, Path: AnnotationPath(key),
		Message: "annotation " + key + ": " + fmt.Sprintf(format, args...),
	})
}
