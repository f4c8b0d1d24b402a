package webhook

import (
	"context"
	"fmt"
	"net/http"

	"github.com/probity-dev/probity/validate"
)

// validateNamespace refuses labels of Probity that are not legal, and tells what a
// change of legal ones does. It looks at what this request brings only: an old
// mistake does not hold up others, and no workload that exists is a reason to refuse.
func (h *Handler) validateNamespace(ctx context.Context, req *request) (*response, decision, error) {
	resp := &response{UID: req.UID, Allowed: true}
	d := decision{outcome: outcomeAllow}
	if req.SubResource != "" || req.Operation != "CREATE" && req.Operation != "UPDATE" {
		return resp, d, nil
	}
	labels := req.object.Namespace.Labels
	settings := validate.NamespaceSettings(labels, validate.Settings{})
	var old map[string]string
	known := false
	if o := req.decodeOld(); o != nil && o.Namespace != nil {
		old, known = o.Namespace.Labels, true
	}
	if settings.Problem != "" {
		if known && validate.NamespaceSettings(old, validate.Settings{}).Problem == settings.Problem {
			return resp, d, nil
		}
		d.outcome = outcomeDeny
		resp.Allowed = false
		resp.Status = &status{
			Code: http.StatusForbidden, Reason: "Forbidden",
			Message: fmt.Sprintf("namespace %q: metadata.labels: %s", req.object.Ref.Name, settings.Problem),
		}
		h.logNamespace(req, d, settings.Problem)
		return resp, d, nil
	}
	if h.Preview == nil || !known {
		return resp, d, nil // nothing is in a new namespace
	}
	c := labelChange{old: old, labels: labels, before: h.Preview.Settings(old), after: h.Preview.Settings(labels)}
	d.mode = c.after.Mode.String()
	if c.before == c.after {
		return resp, d, nil
	}
	resp.Warnings = append(c.ends(req.ruling), h.Preview.warnings(ctx, req, c.after, h.Now())...)
	if len(resp.Warnings) > 0 {
		d.outcome = outcomeWarn
		h.logNamespace(req, d, "")
	}
	return resp, d, nil
}

func (h *Handler) logNamespace(req *request, d decision, problem string) {
	h.Log.Info("reviewed", "decision", d.outcome, "mode", d.mode, "operation", req.Operation, "kind", "Namespace", "name", req.object.Ref.Name,
		"user", req.User.Username, "dryRun", req.DryRun, "problem", problem, "uid", req.UID)
}
