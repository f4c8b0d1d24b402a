package webhook

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/probity-dev/probity/escape"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// validate judges the object of a review.
func (h *Handler) validate(ctx context.Context, req *request) (*response, decision, error) {
	switch o := req.object; {
	case o == nil:
	case o.Namespace != nil:
		return h.validateNamespace(ctx, req)
	case o.Budget != nil, o.Autoscaler != nil:
		return h.validateBudget(ctx, req)
	}
	resp := &response{UID: req.UID, Allowed: true}
	w := untouchable(req)
	if w == nil {
		return resp, decision{outcome: outcomeAllow}, nil
	}
	settings, err := h.Namespaces.Settings(ctx, req.Namespace)
	if err != nil {
		return nil, decision{}, err
	}
	d := decision{mode: settings.Mode.String(), outcome: outcomeAllow}
	if settings.Mode == validate.ModeOff {
		return resp, d, nil
	}
	w.Ref.Namespace = req.Namespace
	judge := h.judge(req, settings)
	judged := judge.Workload(w)
	if judged.Exempt.By != "" {
		h.exempt(req, w.Ref, &d, judged.Exempt)
		return resp, d, nil
	}
	budgets := h.judgeChange(ctx, req, judge, settings.Mode)
	judged.Findings, judged.Notices = append(judged.Findings, budgets.Findings...), append(judged.Notices, budgets.Notices...)
	if len(judged.Findings) == 0 && len(judged.Notices) == 0 && len(w.Problems) == 0 && settings.Problem == "" {
		return resp, d, nil
	}
	h.tolerate(ctx, req, w, &judged, settings)
	v := verdict{problems: w.Problems, mode: settings.Mode}
	v.note(settings.Problem, req.Namespace)
	return h.conclude(req, resp, d, v, &judged)
}

// conclude writes what the user is told of a judgement, and notes it.
func (h *Handler) conclude(req *request, resp *response, d decision, v verdict, judged *validate.Judgement) (*response, decision, error) {
	h.Metrics.found(judged.Findings, v.mode)
	v.findings = judged.Findings
	annotations := annotationNotes(judged.Notices)
	notes, why := exemptionNotes(judged.Notices)
	v.notes, v.unexempted = slices.Concat(annotations, v.notes, notes), why
	if err := v.write(resp); err != nil {
		return nil, d, err
	}
	d.outcome = v.outcome()
	if !req.DryRun {
		h.Metrics.count(judged)
	}
	h.log(req, d, judged.Findings, annotations, slices.Concat(why, notes))
	h.observed(req, judged.Findings, v.mode)
	return resp, d, nil
}

// untouchable returns the workload of a review that may be judged; nil for what
// is never touched: deletions, subresources, objects on their way out, mirror
// pods, and what holds no pod template.
func untouchable(req *request) *workload.Workload {
	if req.Operation != "CREATE" && req.Operation != "UPDATE" || req.SubResource != "" || req.object == nil {
		return nil
	}
	w := req.object.Workload
	if w == nil || w.Deleting || w.Pod.Annotations["kubernetes.io/config.mirror"] != "" {
		return nil
	}
	return w
}

// tolerate turns refusals into warnings where a refusal would take capacity
// away: what a controller writes, and faults that the object had before. What a
// user may not exempt is judged as if it were not exempted.
func (h *Handler) tolerate(ctx context.Context, req *request, w *workload.Workload, judged *validate.Judgement, settings validate.Settings) {
	if fromController(req.User.Username, w) {
		forbear(judged)
		return
	}
	before := sync.OnceValue(func() *validate.Judgement { return req.judgeOld(settings) })
	h.permit(ctx, req, judged, before)
	if !anyDenies(judged.Findings) {
		return
	}
	if old := before(); old != nil {
		validate.Ratchet(judged, old)
	}
}

// judgeOld returns the findings that an update starts from, exempted or not; nil
// for what is no update, or whose old object cannot be read.
func (r *request) judgeOld(settings validate.Settings) *validate.Judgement {
	if r.Operation != "UPDATE" {
		return nil
	}
	old := r.decodeOld()
	if old == nil || old.Workload == nil {
		return nil
	}
	judged := validate.Judge{Policy: r.ruling.policy(settings)}.Workload(old.Workload)
	return &judged
}

// Service accounts of the controllers in kube-system, and their common identity
// where the controller manager runs without separate ones.
const (
	controllerManager  = "system:kube-controller-manager"
	kubeSystemAccounts = "system:serviceaccount:kube-system:"
	serviceAccounts    = "system:serviceaccount:"
)

// fromController reports whether an object is written by a controller: one of
// the built-in ones, by a name that no user can take; or a service account, on
// behalf of the object's controller. A person who writes an owner reference is
// still a person.
func fromController(username string, w *workload.Workload) bool {
	return builtIn(username) || strings.HasPrefix(username, serviceAccounts) && w.Ref.Kind == "Pod" && w.Controller != nil
}

// builtIn reports whether the name is that of one of Kubernetes' own controllers.
func builtIn(username string) bool {
	account, ok := strings.CutPrefix(username, kubeSystemAccounts)
	return username == controllerManager || ok && strings.HasSuffix(account, "-controller")
}

func anyDenies(found []validate.Finding) bool {
	for i := range found {
		if found[i].Action == validate.Deny {
			return true
		}
	}
	return false
}

// verdict is what the user and the audit log are told.
type verdict struct {
	findings []validate.Finding
	problems []workload.Problem
	notes    []string
	// unexempted says why findings are not exempted, where somebody tried.
	unexempted []string
	mode       validate.Mode
}

// note adds what is wrong with the namespace's labels.
func (v *verdict) note(label, namespace string) {
	if label != "" {
		v.notes = append(v.notes, fmt.Sprintf("namespace %q: %s; Probity only warns here", namespace, label))
	}
}

func (v *verdict) write(resp *response) error {
	var denied []string
	for i := range v.findings {
		f := &v.findings[i]
		switch v.mode.Reaches(f.Action) {
		case validate.Deny:
			denied = append(denied, escape.Text(f.String()))
		case validate.Warn:
			resp.Warnings = append(resp.Warnings, f.Warning())
		}
	}
	if v.mode != validate.ModeAudit {
		for _, p := range v.problems {
			resp.Warnings = append(resp.Warnings, "not judged: "+p.String())
		}
		resp.Warnings = append(resp.Warnings, v.notes...)
		if len(denied) == 0 {
			resp.Warnings = append(resp.Warnings, v.unexempted...)
		}
	}
	resp.Warnings = capped(resp.Warnings)
	if len(denied) > 0 {
		resp.Allowed = false
		resp.Status = &status{Code: http.StatusForbidden, Reason: "Forbidden", Message: denial(denied) + unexempted(v.unexempted)}
	}
	if len(v.findings) == 0 {
		return nil
	}
	var err error
	resp.Audit, err = auditAnnotation(v.findings)
	return err
}

// maxMessages bounds a refusal and the warnings: nobody reads more, and the
// answer stays small whatever is sent.
const maxMessages = 50

// denial is one message, or all on lines of their own: kubectl prints it behind
// `admission webhook "..." denied the request: `.
func denial(messages []string) string {
	if len(messages) == 1 {
		return messages[0]
	}
	title := fmt.Sprintf("%d findings:", len(messages))
	return title + "\n- " + strings.Join(capped(messages), "\n- ")
}

// capped leaves out what is too much, and says how much that is.
func capped(messages []string) []string {
	if len(messages) <= maxMessages {
		return messages
	}
	return append(messages[:maxMessages:maxMessages], fmt.Sprintf("and %d more", len(messages)-maxMessages))
}

func (v *verdict) outcome() string {
	outcome := outcomeAllow
	for i := range v.findings {
		f := &v.findings[i]
		switch reached := v.mode.Reaches(f.Action); {
		case reached == validate.Deny:
			return outcomeDeny
		case reached == validate.Warn:
			outcome = outcomeWarn
		case outcome == outcomeWarn:
		case !f.Exempted:
			outcome = outcomeAudit
		case outcome == outcomeAllow:
			outcome = outcomeExempt
		}
	}
	return outcome
}

// log writes one line for a decision that is not a plain allow, with what is to be
// known of annotations and of exemptions.
func (h *Handler) log(req *request, d decision, found []validate.Finding, annotations, exemptions []string) {
	rules, exempted := []string{}, []string{}
	for i := range found {
		if f := &found[i]; f.Exempted {
			exempted = append(exempted, f.Rule)
		} else {
			rules = append(rules, f.Rule)
		}
	}
	log := h.Log
	if len(exempted) > 0 {
		log = log.WithValues("exempted", capped(exempted))
	}
	if len(exemptions) > 0 {
		log = log.WithValues("exemptions", capped(exemptions))
	}
	if len(annotations) > 0 {
		log = log.WithValues("annotations", capped(annotations))
	}
	log.Info("reviewed", "decision", d.outcome, "mode", d.mode, "operation", req.Operation, "kind", req.object.Ref.Kind,
		"namespace", req.Namespace, "name", req.object.Ref.Name, "user", req.User.Username, "dryRun", req.DryRun, "rules", capped(rules), "uid", req.UID)
}
