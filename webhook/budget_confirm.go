package webhook

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Live reads one object of the cluster as it is now.
type Live interface {
	// Object returns nil for one that does not exist.
	Object(ctx context.Context, kinds *workload.Kinds, ref workload.Ref) (*workload.Object, error)
}

// maxConfirmed bounds what one refusal reads. Most rest on two objects.
const maxConfirmed = 16

// Why budgets were not judged, or not refused.
const (
	unsynced    = "not_synced"
	unconfirmed = "not_confirmed"
)

// confirm judges a refusal again by its neighbours as they are now: watches come
// late, and a budget that was deleted a moment ago, or a workload that was scaled
// up, must not refuse. What cannot be read does not refuse either.
func (h *Handler) confirm(ctx context.Context, req *request, judge validate.Judge, change validate.Change) validate.Judgement {
	fresh, err := h.reread(ctx, req.ruling.Kinds, change.Meeting())
	if err == nil {
		change.Neighbours = fresh
	}
	judged := judge.Change(change)
	if err != nil && mayRefuse(req.ruling.Exemptions, judged.Findings) {
		h.Metrics.budgetsUnjudged.WithLabelValues(unconfirmed).Inc()
		h.Log.Error(err, "a refusal about disruption budgets could not be confirmed and is a warning", "kind", req.object.Ref.Kind,
			"namespace", req.Namespace, "name", req.object.Ref.Name, "user", req.User.Username, "uid", req.UID)
		forbear(&judged)
	}
	return judged
}

// reread returns the objects as they are now, without those that are gone. Of very
// many the rest is taken as known.
func (h *Handler) reread(ctx context.Context, kinds *workload.Kinds, known []*workload.Object) ([]*workload.Object, error) {
	if h.Live == nil {
		return known, nil
	}
	fresh := slices.Clone(known)
	// Budgets first: they are few, and what is replaced at once.
	slices.SortStableFunc(fresh, func(a, b *workload.Object) int { return cmp.Compare(rank(a), rank(b)) })
	for i := range fresh[:min(len(fresh), maxConfirmed)] {
		o, err := h.Live.Object(ctx, kinds, fresh[i].Ref)
		if err != nil {
			return nil, err
		}
		fresh[i] = o
	}
	return fresh, nil
}

func rank(o *workload.Object) int {
	if o.Budget != nil {
		return 0
	}
	return 1
}

// ClusterReader is a Live that asks the API server.
type ClusterReader struct{ client.Reader }

// Object reads the object in the version of its ref.
func (r ClusterReader) Object(ctx context.Context, kinds *workload.Kinds, ref workload.Ref) (*workload.Object, error) {
	group, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(group.WithKind(ref.Kind))
	switch err := r.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, u); {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", ref, err)
	}
	text, err := u.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", ref, err)
	}
	o, err := kinds.DecodeAs(text, ref.APIVersion, ref.Kind)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", ref, err)
	}
	return o, nil
}
