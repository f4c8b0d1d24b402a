package webhook

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// judge returns what judges a request: its policy, its exemptions, its user.
func (h *Handler) judge(req *request, settings validate.Settings) validate.Judge {
	return validate.Judge{
		Policy: req.ruling.policy(settings), Exemptions: req.ruling.Exemptions, Now: h.Now(),
		Writer: &validate.Writer{Name: req.User.Username, Groups: req.User.Groups},
	}
}

// exempt notes that an object is exempt as a whole.
func (h *Handler) exempt(req *request, of workload.Ref, d *decision, by validate.Whole) {
	d.outcome = outcomeExempt
	h.Metrics.exempt.WithLabelValues(by.By).Inc()
	h.Log.V(1).Info("exempt", "by", by.By, "exempt", by.Name, "mode", d.mode, "operation", req.Operation, "kind", of.Kind,
		"namespace", req.Namespace, "name", of.Name, "user", req.User.Username, "dryRun", req.DryRun, "uid", req.UID)
}

// Permissions says whether a user may exempt from a rule in a namespace. An error
// means that nobody could say; the exemption is then not granted.
type Permissions interface {
	MayExempt(ctx context.Context, user User, namespace, rule string) (bool, error)
}

// User is who makes a request, as the API server knows it.
type User struct {
	Name, UID string
	Groups    []string
	Extra     map[string][]string
}

// permit takes away the exemptions by annotation that the user may not make.
// Asked is only about findings that this request brings in: what an exemption
// covered before stays covered, whoever writes the object now. When nobody can
// answer, the exemption is not granted: the ratchet then still protects what
// runs.
func (h *Handler) permit(ctx context.Context, req *request, judged *validate.Judgement, before func() *validate.Judgement) {
	var asked []int // findings
	for i := range judged.Findings {
		if takesPermission(req.ruling.Exemptions, &judged.Findings[i]) {
			asked = append(asked, i)
		}
	}
	if len(asked) == 0 {
		return
	}
	if old := before(); old != nil {
		introduced := validate.Introduced(judged, old)
		asked = slices.DeleteFunc(asked, func(i int) bool { return !introduced[i] })
	}
	refused := map[string]bool{}
	for _, i := range asked {
		rule := judged.Findings[i].Rule
		no, known := refused[rule]
		if !known {
			why := h.mayNot(ctx, req, rule)
			no = why != ""
			refused[rule] = no
			if no {
				judged.Notices = append(judged.Notices, validate.Notice{
					Kind: validate.NoticeRefused, Source: validate.ByOwnAnnotation, Rules: []string{rule},
					Path: "metadata.annotations", Message: "annotation " + workload.AnnotationExempt + ": " + why,
				})
			}
		}
		if no {
			judged.Findings[i].Reinstate()
		}
	}
}

// takesPermission reports whether the finding is exempted by who writes the object,
// and the configuration does not let everybody do that.
func takesPermission(by *validate.Exemptions, f *validate.Finding) bool {
	e := f.Exemption
	return by.ByAnnotation.RequirePermission && e != nil && e.Source == validate.ByOwnAnnotation && !e.Inherited
}

// mayNot says why the user may not exempt from a rule; nothing when it may.
func (h *Handler) mayNot(ctx context.Context, req *request, rule string) string {
	needs := fmt.Sprintf("the verb exempt on the resource rules of probity.dev, named %s", rule)
	if h.Permissions == nil {
		return fmt.Sprintf("does not exempt from %s: the configuration asks for a permission (%s), and here is no API server to ask", rule, needs)
	}
	user, err := req.User.whole()
	if err == nil {
		var ok bool
		if ok, err = h.Permissions.MayExempt(ctx, user, req.Namespace, rule); err == nil && ok {
			return ""
		}
	}
	if err != nil {
		h.Log.Error(err, "permission to exempt could not be asked, the exemption is not granted", "rule", rule,
			"namespace", req.Namespace, "user", req.User.Username, "uid", req.UID)
		return fmt.Sprintf("does not exempt from %s: whether user %q may do that (%s) could not be asked; try again", rule, req.User.Username, needs)
	}
	return fmt.Sprintf("user %q may not exempt from %s: that takes %s", req.User.Username, rule, needs)
}

// count notes exemptions that covered something, and those that no longer do.
func (m *Metrics) count(judged *validate.Judgement) {
	for i := range judged.Findings {
		if f := &judged.Findings[i]; f.Exempted {
			m.used.WithLabelValues(f.Rule, f.Exemption.Source.String()).Inc()
		}
	}
	for i := range judged.Notices {
		if n := &judged.Notices[i]; n.Kind == validate.NoticeExpired {
			for _, rule := range n.Rules {
				m.expired.WithLabelValues(rule, n.Source.String()).Inc()
			}
		}
	}
}

// annotationNotes gives the notices about what annotations ask to have injected, and
// about what does nothing.
func annotationNotes(notices []validate.Notice) (notes []string) {
	for i := range notices {
		if n := &notices[i]; n.Kind == validate.NoticeInjection || n.Kind == validate.NoticeUnread {
			notes = append(notes, n.String())
		}
	}
	return notes
}

// exemptionNotes gives the notices that who writes an object should read. Those
// that say why a finding is not exempted stand in a refusal, too: not every tool
// shows warnings.
func exemptionNotes(notices []validate.Notice) (notes, why []string) {
	for i := range notices {
		switch n := &notices[i]; n.Kind {
		case validate.NoticeUnused, validate.NoticeInjection, validate.NoticeUnread:
		case validate.NoticeEnding:
			notes = append(notes, n.String())
		default:
			why = append(why, n.String())
		}
	}
	return notes, why
}

// unexempted is the end of a refusal.
func unexempted(why []string) string {
	if len(why) == 0 {
		return ""
	}
	return "\nNot exempted: " + strings.Join(escaped(capped(why)), "\nNot exempted: ")
}
