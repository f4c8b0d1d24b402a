package budget

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/probity-dev/probity/workload"
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

const budgetPlural = "poddisruptionbudgets"

func newWriter(config *rest.Config, client *http.Client, kinds *workload.Kinds) (*restWriter, error) {
	gv := schema.GroupVersion{Group: "policy", Version: "v1"}
	known := &atomic.Pointer[workload.Kinds]{}
	known.Store(kinds)
	config = rest.CopyConfig(config)
	config.APIPath, config.GroupVersion = "/apis", &gv
	config.NegotiatedSerializer = codec{known, gv.WithKind(budgetKind)}
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	// A few workers write one after the other; the API server's own limits bound
	// them better than a number here could.
	config.QPS = -1
	c, err := rest.RESTClientForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	return &restWriter{c}, nil
}

func (w *restWriter) apply(ctx context.Context, namespace, name string, manifest []byte, force bool) (*record, error) {
	return answer(w.client.Patch(types.ApplyYAMLPatchType).Namespace(namespace).Resource(budgetPlural).Name(name).
		Param("fieldManager", FieldManager).Param("force", strconv.FormatBool(force)).Body(manifest).Do(ctx))
}

func (w *restWriter) merge(ctx context.Context, namespace, name string, patch []byte) (*record, error) {
	return answer(w.client.Patch(types.MergePatchType).Namespace(namespace).Resource(budgetPlural).Name(name).
		Param("fieldManager", FieldManager).Body(patch).Do(ctx))
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
	return w.client.Delete().Namespace(ref.Namespace).Resource(budgetPlural).Name(ref.Name).
		SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body).Do(ctx).Error()
}
