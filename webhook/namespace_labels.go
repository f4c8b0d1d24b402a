package webhook

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// validateNamespace refuses labels of Probity that are not legal, and tells of labels
// and annotations that do nothing and of what a change of legal ones does. It looks at what this
// request brings only: an old mistake does not hold up others, and no workload that
// exists is a reason to refuse.
func (h *Handler) validateNamespace(ctx context.Context, req *request) (*response, decision, error) {
	resp := &response{UID: req.UID, Allowed: true}
	d := decision{outcome: outcomeAllow}
	if req.SubResource != "" || req.Operation != "CREATE" && req.Operation != "UPDATE" {
		return resp, d, nil
	}
	now, before := req.object.Namespace, &workload.Namespace{}
	known := false
	if o := req.decodeOld(); o != nil && o.Namespace != nil {
		before, known = o.Namespace, true
	}
	labels, old := now.Labels, before.Labels
	resp.Warnings = slices.Concat(
		unread(validate.UnknownLabels, old, labels),
		unread(validate.UnknownAnnotations, before.Annotations, now.Annotations),
	)
	problem := validate.NamespaceSettings(labels, validate.Settings{}).Problem
	switch {
	case problem != "" && (!known || validate.NamespaceSettings(old, validate.Settings{}).Problem != problem):
		d.outcome = outcomeDeny
		resp.Allowed = false
		resp.Status = &status{
			Code: http.StatusForbidden, Reason: "Forbidden",
			Message: fmt.Sprintf("namespace %q: metadata.labels: %s", req.object.Ref.Name, problem),
		}
		h.logNamespace(req, d, problem)
		return resp, d, nil
	case problem == "" && h.Preview != nil:
		c := labelChange{old: old, labels: labels, before: h.Preview.Settings(old), after: h.Preview.Settings(labels)}
		d.mode = c.after.Mode.String()
		resp.Warnings = append(resp.Warnings, c.idle()...)
		if known && c.before != c.after { // nothing is in a new namespace
			resp.Warnings = append(resp.Warnings, c.ends(req.ruling)...)
			resp.Warnings = append(resp.Warnings, h.Preview.warnings(ctx, req, c.after, h.Now())...)
		}
	}
	if len(resp.Warnings) > 0 {
		d.outcome = outcomeWarn
		h.logNamespace(req, d, "")
	}
	return resp, d, nil
}

// maxUnknown is how many labels that do nothing are told of, and how many annotations.
const maxUnknown = 3

// unread tells of the labels or annotations that do nothing and that are new or new in
// value.
func unread(tell func(map[string]string) []string, old, now map[string]string) []string {
	brought := map[string]string{}
	for name, value := range now {
		if before, was := old[name]; !was || before != value {
			brought[name] = value
		}
	}
	lines := tell(brought)
	lines = lines[:min(maxUnknown, len(lines))]
	for i := range lines {
		lines[i] = oneLine(lines[i])
	}
	return lines
}

func (h *Handler) logNamespace(req *request, d decision, problem string) {
	h.Log.Info("reviewed", "decision", d.outcome, "mode", d.mode, "operation", req.Operation, "kind", "Namespace", "name", req.object.Ref.Name,
		"user", req.User.Username, "dryRun", req.DryRun, "problem", problem, "uid", req.UID)
}
