package webhook

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Neighbours are the objects that disruption budgets are judged by: the workloads,
// budgets and autoscalers of a namespace.
type Neighbours interface {
	// Near returns at least those that validate.Change looks at, in the form that
	// validate.ForBundle gives. changed are the versions of the object of the review.
	// Nobody may change what is returned.
	Near(namespace string, changed ...*workload.Object) []*workload.Object
	// Synced reports whether they are all there. Before that nothing is judged by
	// them: what is not known must not refuse.
	Synced() bool
}

// validateBudget judges a disruption budget or an autoscaler. By itself it breaks
// no rule: what counts is the pods it meets.
func (h *Handler) validateBudget(ctx context.Context, req *request) (*response, decision, error) {
	resp := &response{UID: req.UID, Allowed: true}
	d := decision{outcome: outcomeAllow}
	if req.Operation != "CREATE" && req.Operation != "UPDATE" || req.SubResource != "" || leaving(req.object) {
		return resp, d, nil
	}
	settings, err := h.Namespaces.Settings(ctx, req.Namespace)
	if err != nil {
		return nil, decision{}, err
	}
	d.mode = settings.Mode.String()
	if settings.Mode == validate.ModeOff {
		return resp, d, nil
	}
	judged := h.judgeChange(ctx, req, h.judge(req, settings), settings.Mode)
	if judged.Exempt.By != "" {
		h.exempt(req, req.object.Ref, &d, judged.Exempt)
		return resp, d, nil
	}
	problems := req.object.Problems()
	if len(judged.Findings) == 0 && len(judged.Notices) == 0 && len(problems) == 0 && settings.Problem == "" {
		return resp, d, nil
	}
	h.permit(ctx, req, &judged, func() *validate.Judgement { return nil })
	v := verdict{problems: problems, mode: settings.Mode}
	v.note(settings.Problem, req.Namespace)
	return h.conclude(req, resp, d, v, &judged)
}

// leaving reports whether the object has been deleted and waits for its finalizers.
func leaving(o *workload.Object) bool {
	return o.Budget != nil && o.Budget.Deleting || o.Autoscaler != nil && o.Autoscaler.Deleting
}

// judgeChange judges what the object of a review makes of disruption budgets: a
// budget, an autoscaler, or a workload that is more than a Pod. There is no state of
// Pods, and one of them is soon gone.
func (h *Handler) judgeChange(ctx context.Context, req *request, judge validate.Judge, mode validate.Mode) validate.Judgement {
	if h.Neighbours == nil || req.object.Workload != nil && req.object.Ref.Kind == "Pod" {
		return validate.Judgement{}
	}
	if !h.Neighbours.Synced() {
		h.Metrics.budgetsUnjudged.WithLabelValues(unsynced).Inc()
		return validate.Judgement{}
	}
	req.object.SetNamespace(req.Namespace)
	change := validate.Change{New: req.object, Neighbours: h.Neighbours.Near(req.Namespace, req.object)}
	judged := judge.Change(change)
	if len(judged.Findings) == 0 && req.object.Autoscaler == nil {
		return judged // as nearly all
	}
	if req.Operation == "UPDATE" {
		// Only now. An autoscaler may leave a target, and is judged with its old one.
		if change.Old = req.decodeOld(); change.Old != nil {
			change.Old.SetNamespace(req.Namespace)
			change.Neighbours = h.Neighbours.Near(req.Namespace, change.New, change.Old)
			judged = judge.Change(change)
		}
	}
	if byController(req, change) {
		forbear(&judged)
	}
	if mode == validate.ModeEnforce && mayRefuse(req.ruling.Exemptions, judged.Findings) {
		judged = h.confirm(ctx, req, judge, change)
	}
	return judged
}

// forbear turns refusals into warnings, those of exempted findings too, which may
// come back.
func forbear(judged *validate.Judgement) {
	for i := range judged.Findings {
		f := &judged.Findings[i]
		f.Action = min(f.Action, validate.Warn)
		if f.Exemption != nil {
			f.Exemption.Action = min(f.Exemption.Action, validate.Warn)
		}
	}
}

// mayRefuse reports whether a finding refuses, or does if its exemption turns out to
// be one that the user may not make.
func mayRefuse(by *validate.Exemptions, found []validate.Finding) bool {
	return slices.ContainsFunc(found, func(f validate.Finding) bool {
		return f.Action == validate.Deny || f.Unexempted() == validate.Deny && takesPermission(by, &f)
	})
}

// byController reports whether a controller writes the object, as far as budgets are
// concerned: a built-in one; a service account on behalf of the object's
// controller; or a service account that changes how many pods there are and
// nothing else, as what scales by load or by the hour does. A refusal would keep
// it from doing its work.
func byController(req *request, c validate.Change) bool {
	if builtIn(req.User.Username) {
		return true
	}
	if !strings.HasPrefix(req.User.Username, serviceAccounts) {
		return false
	}
	return controllerOf(c.New) != nil || onlyScales(c)
}

func controllerOf(o *workload.Object) *workload.Owner {
	switch {
	case o.Workload != nil:
		return o.Workload.Controller
	case o.Budget != nil:
		return o.Budget.Controller
	case o.Autoscaler != nil:
		return o.Autoscaler.Controller
	default:
		return nil
	}
}

func onlyScales(c validate.Change) bool {
	if c.Old == nil || c.Old.Workload == nil || c.New.Workload == nil {
		return false
	}
	was, is := *c.Old.Workload, *c.New.Workload
	if reflect.DeepEqual(was.Replicas, is.Replicas) {
		return false
	}
	was.Replicas, was.Labels, was.Annotations = is.Replicas, is.Labels, is.Annotations
	return reflect.DeepEqual(&was, &is)
}
