package validate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/probity-dev/probity/workload"
)

// ExemptionSource says who exempted a finding.
type ExemptionSource uint8

// The sources of exemptions.
const (
	// ByOwnAnnotation: the object's annotation probity.dev/exempt.
	ByOwnAnnotation ExemptionSource = iota + 1
	// ByConfiguration: the configuration's list.
	ByConfiguration
)

// String returns "annotation" or "configuration".
func (s ExemptionSource) String() string {
	return [...]string{"", "annotation", "configuration"}[s]
}

// MarshalText gives the source's name.
func (s ExemptionSource) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// AppliedExemption says why a finding is exempted, and what it would do otherwise.
type AppliedExemption struct {
	Source ExemptionSource
	Reason string
	// Until is the last day on which it holds, at its start in UTC; zero means
	// without end.
	Until time.Time
	// Line is that of the configuration's exemption; 0 for an annotation.
	Line int
	// Action is what the finding would do.
	Action Action
	// Inherited is set where who makes a change did not make the exemption: it is the
	// annotation of another object, or the finding was there before. It says so of
	// what Judge.Change finds; Introduced tells the latter of other findings.
	Inherited bool
}

// String gives "until 2027-01-31: the reason", or the reason alone.
func (e *AppliedExemption) String() string {
	if e.Until.IsZero() {
		return e.Reason
	}
	return "until " + e.Until.Format(time.DateOnly) + ": " + e.Reason
}

// term is an AppliedExemption before it is known of which finding.
type term AppliedExemption

// over reports whether the last day has passed, everywhere: days are UTC's, and
// the last one counts whole.
func (t *term) over(now time.Time) bool { return !t.Until.IsZero() && !now.Before(t.end()) }

func (t *term) end() time.Time { return t.Until.AddDate(0, 0, 1) }

// endingDays is how long before its end an exemption is warned about.
const endingDays = 14

// daysLeft counts the days after today on which it still holds.
func (t *term) daysLeft(now time.Time) int {
	today := now.UTC().Truncate(24 * time.Hour)
	return int(t.Until.Sub(today) / (24 * time.Hour))
}

// candidate is an object that may be exempted.
type candidate struct {
	ref         workload.Ref
	labels      map[string]string
	annotations workload.Annotations
	// pod is nil for what is no workload.
	pod *workload.Pod
}

func candidateOf(w *workload.Workload) *candidate {
	return &candidate{w.Ref, w.Labels, w.Annotations, &w.Pod}
}

// exempting applies what exempts one object to its findings.
type exempting struct {
	exemptions *Exemptions
	now        time.Time
	object     *candidate

	// whole is set for an object that is exempt from everything.
	whole bool
	own   annotated
	// listed are the configuration's exemptions whose match of the object fits.
	listed  []*Exemption
	notices []Notice
	// used are the rules that the annotation covered something of; ended and
	// ending collect the rules of a notice by what it is about.
	used          []string
	ended, ending []endNotice
}

// endNotice is a notice about an end, for several rules.
type endNotice struct {
	term  term
	rules []string
}

func newExempting(e *Exemptions, now time.Time, object *candidate) *exempting {
	x := &exempting{exemptions: e, now: now, object: object}
	for i := range e.Workloads {
		if e.Workloads[i].Match.object(object) {
			x.listed = append(x.listed, &e.Workloads[i])
		}
	}
	x.readAnnotations(object.annotations)
	if object.pod == nil { // of a workload's, Judge.Workload tells
		x.notices = append(x.notices, unreadOnBudget(object.labels, object.annotations)...)
	}
	return x
}

// apply exempts a finding on a container, nil for none, if something covers it.
// The configuration goes before the annotation, which may need a permission.
func (x *exempting) apply(f *Finding, c *workload.Container) {
	var over []term
	consider := func(t term) bool {
		if t.over(x.now) {
			over = append(over, t)
			return false
		}
		applied := AppliedExemption(t)
		applied.Action = f.Action
		f.Exempted, f.Action, f.Exemption = true, Off, &applied
		if !t.Until.IsZero() && t.daysLeft(x.now) < endingDays {
			x.ending = noteEnd(x.ending, t, f.Rule)
		}
		return true
	}
	covered := false
	for _, e := range x.listed {
		if !covered && slices.Contains(e.Rules, f.Rule) && e.Match.container(c) {
			covered = consider(term{Source: ByConfiguration, Reason: e.Reason, Until: e.Until, Line: e.Line})
		}
	}
	if slices.Contains(x.own.rules, f.Rule) {
		x.used = append(x.used, f.Rule)
		covered = covered || consider(x.own.term)
	}
	if !covered {
		for _, t := range over {
			x.ended = noteEnd(x.ended, t, f.Rule)
		}
	}
}

func noteEnd(all []endNotice, t term, rule string) []endNotice {
	i := slices.IndexFunc(all, func(n endNotice) bool { return n.term == t })
	if i < 0 {
		return append(all, endNotice{t, []string{rule}})
	}
	if !slices.Contains(all[i].rules, rule) {
		all[i].rules = append(all[i].rules, rule)
	}
	return all
}

// result returns all notices: what is not legal, what has ended, what ends soon.
func (x *exempting) result() []Notice {
	for _, n := range x.ended {
		x.notices = append(x.notices, n.notice(NoticeExpired, "ended after %s (UTC) and exempts from nothing any more", n.day()))
	}
	for _, n := range x.ending {
		in := fmt.Sprintf("in %d days", n.term.daysLeft(x.now))
		switch n.term.daysLeft(x.now) {
		case 0:
			in = "today"
		case 1:
			in = "tomorrow"
		}
		x.notices = append(x.notices, n.notice(NoticeEnding, "ends after %s (UTC), %s", n.day(), in))
	}
	return x.notices
}

func (n *endNotice) day() string { return n.term.Until.Format(time.DateOnly) }

func (n *endNotice) notice(kind NoticeKind, format string, args ...any) Notice {
	said := fmt.Sprintf(format, args...)
	notice := Notice{Kind: kind, Source: n.term.Source, Line: n.term.Line, Rules: n.rules}
	if n.term.Source == ByOwnAnnotation {
		notice.Path = AnnotationPath(workload.AnnotationExemptUntil)
		notice.Message = fmt.Sprintf("annotation %s: the exemption from %s %s", workload.AnnotationExempt, strings.Join(n.rules, ", "), said)
		return notice
	}
	notice.Message = fmt.Sprintf("the configuration's exemption on line %d from %s %s", n.term.Line, strings.Join(n.rules, ", "), said)
	return notice
}

// unused notes rules of the annotation that judge this object and find nothing.
func (x *exempting) unused(p *Policy, bundle bool) {
	for _, id := range x.own.rules {
		if slices.Contains(x.used, id) || !p.looks(id, bundle) {
			continue
		}
		x.notices = append(x.notices, Notice{
			Kind: NoticeUnused, Source: ByOwnAnnotation, Path: AnnotationPath(workload.AnnotationExempt), Rules: []string{id},
			Message: fmt.Sprintf("annotation %s: nothing breaks %s here; take it out", workload.AnnotationExempt, id),
		})
	}
}

// looks reports whether a rule that is not off judges workloads by themselves, or
// bundles.
func (p *Policy) looks(id string, bundle bool) bool {
	i := slices.IndexFunc(p.settings, func(s setting) bool { return s.rule.ID == id })
	if i < 0 {
		return false
	}
	s := &p.settings[i]
	return (s.rule.CheckBundle != nil) == bundle && (s.action != Off || s.likely != Off)
}
