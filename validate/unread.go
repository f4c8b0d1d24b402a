package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/probity-dev/probity/validate/internal/spelling"
	"github.com/probity-dev/probity/workload"
)

// Names with Probity's prefix that stand where Probity does not read them. They are
// nobody else's, so somebody meant one that is read and believes that it holds: an
// exemption above all, at a time when nobody reads manuals.

// place is where labels or annotations stand.
type place struct {
	// what is "label" or "annotation"; on is of what, such as "the Deployment".
	what, on string
	// path is the field path of all of them.
	path string
	// reads are the names that Probity reads there, but its own annotation, which
	// has its place there if injected is set.
	reads    []string
	injected bool
	// workload is the kind whose annotations are meant: "Deployment", or "workload"
	// where there may be several.
	workload string
}

const onNamespace = "a namespace"

func exemptionAnnotations() []string {
	return []string{workload.AnnotationExempt, workload.AnnotationExemptReason, workload.AnnotationExemptUntil}
}

func workloadAnnotations() []string {
	return append(exemptionAnnotations(), workload.AnnotationInject, workload.AnnotationStartupBudget)
}

func namespaceLabels() []string {
	return []string{workload.LabelMode, workload.LabelProfile, workload.LabelInject}
}

// UnknownLabels says of each label of a namespace that has Probity's prefix and is
// none that it reads that it does nothing, by name.
func UnknownLabels(labels map[string]string) []string {
	return place{what: "label", on: onNamespace, reads: namespaceLabels(), workload: "workload"}.messages(labels)
}

// UnknownAnnotations is UnknownLabels for the annotations of a namespace, of which
// Probity reads none.
func UnknownAnnotations(annotations map[string]string) []string {
	return place{what: "annotation", on: onNamespace, workload: "workload"}.messages(annotations)
}

// IdleLabels returns the labels of a namespace that say nothing without its mode, where
// that is neither a label nor the default of the configuration.
func IdleLabels(labels map[string]string) (idle []string) {
	if _, said := labels[workload.LabelMode]; said {
		return nil
	}
	for _, label := range []string{workload.LabelProfile, workload.LabelInject} {
		if _, ok := labels[label]; ok {
			idle = append(idle, label)
		}
	}
	return idle
}

func (p place) messages(names map[string]string) (all []string) {
	for _, name := range p.unread(names) {
		message, _ := p.message(name)
		all = append(all, message)
	}
	return all
}

// unread returns the names that are not read here, in order.
func (p place) unread(names map[string]string) (unread []string) {
	for name := range names {
		read := slices.Contains(p.reads, name) || p.injected && name == workload.AnnotationInjected
		if strings.HasPrefix(name, workload.Prefix) && !read {
			unread = append(unread, name)
		}
	}
	slices.Sort(unread)
	return unread
}

// message says that a name does nothing here, and what was likely meant; "" for
// nothing that is near. A name that is right elsewhere goes before one that is near.
func (p place) message(name string) (message, meant string) {
	does := fmt.Sprintf("%s %s on %s does nothing; ", p.what, shown(name), p.on)
	if name == workload.AnnotationInjected {
		return does + "Probity writes it into pod templates", name
	}
	homes := p.homes()
	for _, home := range homes {
		if slices.Contains(home.names, name) {
			return does + "set it in " + home.field, name
		}
	}
	if near := nearest(name, p.reads); near != "" {
		return does + "did you mean " + near + "?", near
	}
	for _, home := range homes {
		if near := nearest(name, home.names); near != "" {
			return does + "did you mean " + near + " in " + home.field + "?", near
		}
	}
	if len(p.reads) == 0 {
		return does + "Probity reads none there", ""
	}
	last := len(p.reads) - 1
	return does + "Probity reads " + strings.Join(p.reads[:last], ", ") + " and " + p.reads[last], ""
}

// home is a field whose names are read.
type home struct {
	names []string
	field string
}

// homes are the fields that a name may have been meant for, the likelier first: inject
// is a name in both.
func (p place) homes() []home {
	of := home{workloadAnnotations(), "metadata.annotations of the " + p.workload}
	namespaces := home{namespaceLabels(), "metadata.labels of the Namespace"}
	if p.on == onNamespace {
		return []home{namespaces, of}
	}
	return []home{of, namespaces}
}

// nearest leaves the prefix out, which would make all names alike.
func nearest(name string, names []string) string {
	short := make([]string, 0, len(names))
	for _, n := range names {
		short = append(short, strings.TrimPrefix(n, workload.Prefix))
	}
	if near := spelling.Nearest(strings.TrimPrefix(name, workload.Prefix), short); near != "" {
		return workload.Prefix + near
	}
	return ""
}

// shown is a name as it is where it can be one: in a file it may be anything.
func shown(name string) string {
	const longest = 253 + 1 + 63 // prefix, slash and name
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./", r)
	}
	if len(name) <= longest && strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	return quote(name)
}

// maxUnread is of how many names in one place an object's writer is told.
const maxUnread = 3

// notices are about the names that are not read here.
func (p place) notices(names map[string]string) (notices []Notice) {
	unread := p.unread(names)
	for _, name := range unread[:min(maxUnread, len(unread))] {
		message, meant := p.message(name)
		// A name that is near to none may have been meant to exempt; then a refusal
		// must tell of it.
		kind := NoticeIllegal
		if meant != "" && !slices.Contains(exemptionAnnotations(), meant) {
			kind = NoticeUnread
		}
		notices = append(notices, Notice{Kind: kind, Path: namePath(p.path, name), Message: message})
	}
	return notices
}

// unreadNotices are about the names on a workload and on its template.
func unreadNotices(w *workload.Workload) []Notice {
	if !mentionsProbity(w.Annotations) && !mentionsProbity(w.Labels) && !mentionsProbity(w.Pod.Annotations) && !mentionsProbity(w.Pod.Labels) &&
		!mentionsProbity(w.JobAnnotations) && !mentionsProbity(w.JobLabels) {
		return nil
	}
	kind := w.Ref.Kind
	if kind == "Pod" && w.Controller != nil { // the template is the place to mend
		return nil
	}
	object := place{on: "the " + kind, workload: kind}
	template, isTemplate := strings.CutSuffix(w.Pod.Path, ".spec")
	notices := object.ofAnnotations("", workloadAnnotations(), !isTemplate).notices(w.Annotations)
	notices = append(notices, object.ofLabels("").notices(w.Labels)...)
	if !isTemplate { // a Pod is its own template
		return notices
	}
	const job = "spec.jobTemplate."
	object.on = "the job template"
	notices = append(notices, object.ofAnnotations(job, nil, false).notices(w.JobAnnotations)...)
	notices = append(notices, object.ofLabels(job).notices(w.JobLabels)...)
	object.on = "the pod template"
	notices = append(notices, object.ofAnnotations(template+".", nil, true).notices(w.Pod.Annotations)...)
	return append(notices, object.ofLabels(template+".").notices(w.Pod.Labels)...)
}

func (p place) ofAnnotations(path string, reads []string, injected bool) place {
	p.what, p.path, p.reads, p.injected = "annotation", path+annotationsPath, reads, injected
	return p
}

func (p place) ofLabels(path string) place {
	p.what, p.path = "label", path+labelsPath
	return p
}

// unreadOnBudget are about the names on a disruption budget.
func unreadOnBudget(labels map[string]string, annotations workload.Annotations) []Notice {
	p := place{on: "the PodDisruptionBudget", workload: "workload"}
	notices := p.ofAnnotations("", exemptionAnnotations(), false).notices(annotations)
	p.workload = "PodDisruptionBudget" // its own annotations exempt
	return append(notices, p.ofLabels("").notices(labels)...)
}

// mentionsProbity reports whether there is a name of Probity's at all. Nearly always
// there is none, and a review must not pay for the others.
func mentionsProbity(names map[string]string) bool {
	for name := range names {
		if strings.HasPrefix(name, workload.Prefix) {
			return true
		}
	}
	return false
}
