package validate

import (
	"strconv"
	"strings"
	"time"

	"github.com/probity-dev/probity/workload"
)

// Judge evaluates objects and applies what exempts them. The webhook, the
// commands and the audit all judge by it, so that an exemption means the same to
// all of them.
type Judge struct {
	Policy *Policy
	// Exemptions are the configuration's; nil means DefaultExemptions.
	Exemptions *Exemptions
	// Now tells which exemptions are over. Their last day counts whole, in UTC.
	Now time.Time
	// Writer is who writes the object; nil where nobody does.
	Writer *Writer
}

// Writer is a user with groups, as the API server knows them.
type Writer struct {
	Name   string
	Groups []string
}

// Judgement is what a Judge says of an object.
type Judgement struct {
	// Findings are in the order of Evaluate. One that is exempted has the action
	// Off, and says why in Exemption.
	Findings []Finding
	// Exempt says what exempts the object as a whole: it is not judged and
	// nothing is injected. It is empty for an object that is judged.
	Exempt Whole
	// Notices are about exemptions that are not legal, are over, end soon, or
	// exempt from nothing, and about what annotations ask to have injected.
	Notices []Notice

	// containers are the names of those there are, where there is a finding.
	containers []string
}

// Whole is an exemption from everything. The zero value is none.
type Whole struct {
	// By is "namespace", "runtimeClass", "user" or "group"; empty for none.
	By string
	// Name is the one that the configuration names.
	Name string
}

// String gives `namespace "legacy-shop"`.
func (w Whole) String() string { return w.By + " " + strconv.Quote(w.Name) }

// Notice is what should be known of an exemption, or of another annotation.
type Notice struct {
	Kind NoticeKind
	// Source is the exemption's; zero when the notice is about an annotation
	// that is not legal, or about no exemption.
	Source ExemptionSource
	// Path is the field path of an annotation; empty for an exemption of the
	// configuration, which stands there on Line.
	Path string
	Line int
	// Rules are those that the notice is about; none when it is about all.
	Rules []string
	// Message is a sentence without its full stop. It does not name the object.
	Message string
}

// NoticeKind says what a notice is about.
type NoticeKind uint8

// The kinds of notices.
const (
	// NoticeIllegal: an annotation that is not legal, and exempts from nothing.
	NoticeIllegal NoticeKind = iota + 1
	// NoticeExpired: an exemption that is over and would cover a finding.
	NoticeExpired
	// NoticeEnding: an exemption in its last 14 days that covers a finding.
	NoticeEnding
	// NoticeRefused: an exemption that the writer may not make.
	NoticeRefused
	// NoticeUnused: an annotation that exempts from nothing. It is for reports;
	// who writes an object need not hear it.
	NoticeUnused
	// NoticeInjection: an annotation about what is injected that is not legal, or
	// that came too late for the probe there is.
	NoticeInjection
	// NoticeUnread: a label or an annotation with Probity's prefix that does nothing
	// where it stands, and was not meant to exempt.
	NoticeUnread
)

// String gives "metadata.annotations: message", as in admission warnings.
func (n *Notice) String() string {
	if n.Path == "" {
		return n.Message
	}
	field, _, _ := strings.Cut(n.Path, "[") // the message has the name
	return field + ": " + n.Message
}

// Workload evaluates a workload, by what its annotation says of injection, and applies
// the exemptions. A rule about several
// objects is Bundle's.
func (j Judge) Workload(w *workload.Workload) Judgement {
	e := j.exemptions()
	object := candidateOf(w)
	if by := j.whole(object); by.By != "" {
		return Judgement{Exempt: by}
	}
	policy := j.Policy.heeding(w)
	judged := Judgement{Findings: Evaluate(w, policy), Notices: append(injectionNotices(w, policy), unreadNotices(w)...)}
	if len(judged.Findings) == 0 && !mentionsExemption(w.Annotations) {
		return judged
	}
	for i := range w.Pod.Containers {
		judged.containers = append(judged.containers, w.Pod.Containers[i].Name)
	}
	x := newExempting(e, j.Now, object)
	last := 0
	for i := range judged.Findings {
		f := &judged.Findings[i]
		var c *workload.Container
		if at := containerOf(w, f, last); at >= 0 {
			c, last = &w.Pod.Containers[at], at
		}
		x.apply(f, c)
	}
	x.unused(policy, false)
	judged.Notices = append(judged.Notices, x.result()...)
	return judged
}

func (j Judge) exemptions() *Exemptions {
	if j.Exemptions == nil {
		return DefaultExemptions()
	}
	return j.Exemptions
}

// Exempts returns what exempts an object from everything: from being judged and from
// being given anything.
func (j Judge) Exempts(o *workload.Object) Whole {
	if object := candidateIn(o); object != nil {
		return j.whole(object)
	}
	return Whole{}
}

func (j Judge) whole(o *candidate) Whole {
	e := j.exemptions()
	switch {
	case matches(e.Namespaces, o.ref.Namespace):
		return Whole{"namespace", o.ref.Namespace}
	case o.pod != nil && o.pod.RuntimeClassName != "" && matches(e.RuntimeClasses, o.pod.RuntimeClassName):
		return Whole{"runtimeClass", o.pod.RuntimeClassName}
	case j.Writer == nil:
		return Whole{}
	case matches(e.Users, j.Writer.Name):
		return Whole{"user", j.Writer.Name}
	}
	for _, group := range j.Writer.Groups {
		if matches(e.Groups, group) {
			return Whole{"group", group}
		}
	}
	return Whole{}
}

// mentionsExemption keeps objects without exemption, which nearly all are, from
// costing anything.
func mentionsExemption(a workload.Annotations) bool {
	for _, key := range [...]string{workload.AnnotationExempt, workload.AnnotationExemptReason, workload.AnnotationExemptUntil} {
		if _, ok := a[key]; ok {
			return true
		}
	}
	return false
}

// containerOf finds the container of a finding, or returns -1. It begins with that of
// the finding before: they come in the order of containers, of which there may be
// thousands.
func containerOf(w *workload.Workload, f *Finding, last int) int {
	if f.Container == "" {
		return -1
	}
	all := w.Pod.Containers
	for i := range all {
		if at := (last + i) % len(all); all[at].Name == f.Container {
			return at
		}
	}
	return -1
}
