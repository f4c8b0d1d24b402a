package budget

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// writer writes budgets.
type writer interface {
	// apply is server-side apply; force takes fields that others own.
	apply(ctx context.Context, namespace, name string, manifest []byte, force bool) (*record, error)
	// merge is a JSON merge patch.
	merge(ctx context.Context, namespace, name string, patch []byte) (*record, error)
	// delete deletes the budget if it is still the one, in the version, that is
	// given.
	delete(ctx context.Context, b *record) error
}

// restWriter writes to an API server.
type restWriter struct{ client rest.Interface }

func (w *restWriter) apply(ctx context.Context, namespace, name string, manifest []byte, force bool) (*record, error) {
	return answer(w.client.Patch(types.ApplyYAMLPatchType).Namespace(namespace).Resource(budgets().plural).Name(name).
		Param("fieldManager", fieldManager).Param("force", strconv.FormatBool(force)).Body(manifest).Do(ctx))
}

func (w *restWriter) merge(ctx context.Context, namespace, name string, patch []byte) (*record, error) {
	return answer(w.client.Patch(types.MergePatchType).Namespace(namespace).Resource(budgets().plural).Name(name).
		Param("fieldManager", fieldManager).Body(patch).Do(ctx))
}

func answer(r rest.Result) (*record, error) {
	o, err := r.Get()
	if err != nil {
		return nil, err
	}
	i, ok := o.(*item)
	if !ok {
		return nil, fmt.Errorf("the answer to a write of a %s is a %T", budgetKind, o)
	}
	return &i.record, nil
}

func (w *restWriter) delete(ctx context.Context, b *record) error {
	options := metav1.DeleteOptions{
		TypeMeta:      metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
		Preconditions: &metav1.Preconditions{UID: &b.uid, ResourceVersion: &b.version},
	}
	body, err := json.Marshal(options)
	if err != nil {
		return err
	}
	ref := b.object.Ref
	return w.client.Delete().Namespace(ref.Namespace).Resource(budgets().plural).Name(ref.Name).
		SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body).Do(ctx).Error()
}
