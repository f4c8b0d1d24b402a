package webhook

import (
	"cmp"
	"context"
	"strings"

	"github.com/probity-dev/probity/mutate"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// mutate answers with the startup probes that are missing.
func (h *Handler) mutate(ctx context.Context, req *request) (*response, decision, error) {
	resp := &response{UID: req.UID, Allowed: true}
	w := untouchable(req)
	if w == nil || !mutate.Injectable(w) {
		return resp, decision{outcome: outcomeAllow}, nil
	}
	settings, err := h.Namespaces.Settings(ctx, req.Namespace)
	if err != nil {
		return nil, decision{}, err
	}
	d := decision{mode: settings.Mode.String(), outcome: outcomeAllow}
	// An illegal annotation is the validating webhook's to tell; the namespace's
	// word then holds.
	settings, _ = settings.ForWorkload(w)
	if settings.Mode == validate.ModeOff || !settings.Injection.Startup {
		return resp, d, nil
	}
	w.Ref.Namespace = req.Namespace
	judged := h.judge(req, settings).Workload(w)
	if judged.Exempt.By != "" {
		h.exempt(req, w.Ref, &d, judged.Exempt)
		return resp, d, nil
	}
	in, err := mutate.Startup(mutate.Object{Workload: w, Raw: req.rawObject}, old(req), judged.Findings, cmp.Or(req.ruling.StartupBudget, mutate.DefaultStartupBudget))
	if err != nil || len(in.Patch) == 0 {
		return resp, d, err
	}
	if resp.Patch, err = patch(in.Patch); err != nil {
		return nil, d, err
	}
	resp.PatchType = "JSONPatch"
	d.outcome = outcomePatch
	if !req.DryRun {
		h.Metrics.injected.Add(float64(len(in.Containers)))
	}
	h.logPatch(req, w, d, in.Containers)
	return resp, d, nil
}

// old returns the object before an update; nil on CREATE, and without a
// readable old object: the template then counts as changed.
func old(req *request) *mutate.Object {
	if req.Operation != "UPDATE" {
		return nil
	}
	if obj := req.decodeOld(); obj != nil && obj.Workload != nil {
		return &mutate.Object{Workload: obj.Workload, Raw: req.rawOld}
	}
	return nil
}

func (h *Handler) logPatch(req *request, w *workload.Workload, d decision, containers []string) {
	h.Log.Info("injected", "decision", d.outcome, "mode", d.mode, "operation", req.Operation, "kind", w.Ref.Kind,
		"namespace", req.Namespace, "name", w.Ref.Name, "user", req.User.Username, "dryRun", req.DryRun,
		"startup", strings.Join(capped(containers), ","), "uid", req.UID)
}
