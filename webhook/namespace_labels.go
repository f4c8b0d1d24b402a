package webhook

import (
	"fmt"
	"net/http"

	"github.com/probity-dev/probity/validate"
)

// validateNamespace refuses labels of Probity that are not legal. It looks at
// labels that this request brings only: an old mistake does not hold up others.
func (h *Handler) validateNamespace(req *request) (*response, decision, error) {
	resp := &response{UID: req.UID, Allowed: true}
	d := decision{outcome: outcomeAllow}
	settings := validate.NamespaceSettings(req.object.Namespace.Labels, validate.Settings{})
	if settings.Problem == "" || req.SubResource != "" || req.Operation != "CREATE" && req.Operation != "UPDATE" {
		return resp, d, nil
	}
	if old := req.decodeOld(); old != nil && old.Namespace != nil &&
		validate.NamespaceSettings(old.Namespace.Labels, validate.Settings{}).Problem == settings.Problem {
		return resp, d, nil
	}
	d.outcome = outcomeDeny
	resp.Allowed = false
	resp.Status = &status{
		Code: http.StatusForbidden, Reason: "Forbidden",
		Message: fmt.Sprintf("namespace %q: metadata.labels: %s", req.object.Ref.Name, settings.Problem),
	}
	h.Log.Info("reviewed", "decision", d.outcome, "operation", req.Operation, "kind", "Namespace", "name", req.object.Ref.Name,
		"user", req.User.Username, "dryRun", req.DryRun, "problem", settings.Problem, "uid", req.UID)
	return resp, d, nil
}
