package webhook

import (
	"context"
	"fmt"
	"net/http"

	"github.com/probity-dev/probity/validate"
)

// validateNamespace refuses labels of Probity that are not legal, and tells of those
// that do nothing and of what a change of legal ones does. It looks at what this
// request brings only: an old mistake does not hold up others, and no workload that
// exists is a reason to refuse.
func (h *Handler) validateNamespace(ctx context.Context, req *request) (*response, decision, error) {
	resp := &response{UID: req.UID, Allowed: true}
	d := decision{outcome: outcomeAllow}
	if req.SubResource != "" || req.Operation != "CREATE" && req.Operation != "UPDATE" {
		return resp, d, nil
	}
	labels := req.object.Namespace.Labels
	var old map[string]string
	known := false
	if o := req.decodeOld(); o != nil && o.Namespace != nil {
		old, known = o.Namespace.Labels, true
	}
	resp.Warnings = unknownLabels(old, labels)
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
	case problem == "" && h.Preview != nil && known: // nothing is in a new namespace
		c := labelChange{old: old, labels: labels, before: h.Preview.Settings(old), after: h.Preview.Settings(labels)}
		d.mode = c.after.Mode.String()
		if c.before != c.after {
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

// maxUnknown is how many labels that do nothing are told of.
const maxUnknown = 3

// unknownLabels tells of the labels that do nothing and that are new or new in value.
func unknownLabels(old, labels map[string]string) []string {
	brought := map[string]string{}
	for label, value := range labels {
		if before, was := old[label]; !was || before != value {
			brought[label] = value
		}
	}
	lines := validate.UnknownLabels(brought)
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
