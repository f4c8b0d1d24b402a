package budget

import (
	"maps"
	"reflect"
	"strings"
	"time"
	"unique"

	"github.com/go-json-experiment/json"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// item is an object as a watch brings it: the metadata that client-go's reflector
// asks for, and what is kept.
type item struct {
	metav1.ObjectMeta
	record
}

// record is what is kept of an object.
type record struct {
	object *workload.Object
	uid    types.UID
	// version is a budget's resourceVersion, and owner the uid of its controller.
	version string
	owner   types.UID
	// created is when a workload was made, in seconds since 1970.
	created int64
}

// GetObjectKind makes an item a runtime.Object.
func (*item) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

// DeepCopyObject makes an item a runtime.Object. Items do not change.
func (i *item) DeepCopyObject() runtime.Object { return i }

// itemList is a page of items.
type itemList struct {
	metav1.ListMeta
	Items []*item
}

// GetObjectKind makes a list a runtime.Object.
func (*itemList) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }

// DeepCopyObject makes a list a runtime.Object. Lists do not change.
func (l *itemList) DeepCopyObject() runtime.Object { return l }

// metadata is what the model of package workload has no use for.
type metadata struct {
	Metadata struct {
		Name            string               `json:"name"`
		Namespace       string               `json:"namespace"`
		UID             types.UID            `json:"uid"`
		ResourceVersion string               `json:"resourceVersion"`
		OwnerReferences []owner              `json:"ownerReferences"`
		Annotations     workload.Annotations `json:"annotations"`
		Created         time.Time            `json:"creationTimestamp"`
	} `json:"metadata"`
}

type owner struct {
	UID        types.UID `json:"uid"`
	Controller bool      `json:"controller"`
}

// scale is where a custom resource says how many pods it has, whatever the place
// of its template.
type scale struct {
	Spec struct {
		Replicas *int32             `json:"replicas"`
		Selector *workload.Selector `json:"selector"`
	} `json:"spec"`
}

// decodeItem reads an object in JSON; apiVersion and kind are those that were
// asked for, as the items of a list do not say theirs. A custom resource may hold
// anything: one that cannot be read must not end the watch of all others, and is kept
// by its name.
func decodeItem(kinds *workload.Kinds, data []byte, apiVersion, kind string) *item {
	m := decodeMetadata(data)
	o, err := kinds.DecodeAs(data, apiVersion, kind)
	if err != nil {
		o = &workload.Object{Ref: m.ref(apiVersion, kind)}
	}
	if w := o.Workload; w != nil && w.Replicas == nil && w.Selector == nil {
		var s scale
		if json.Unmarshal(data, &s, workload.DecoderOptions()) == nil {
			w.Replicas, w.Selector = s.Spec.Replicas, s.Spec.Selector
		}
	}
	i := m.item(slim(o))
	if o.Workload != nil {
		i.created = m.Metadata.Created.Unix()
	}
	if o.Budget != nil {
		i.version = m.Metadata.ResourceVersion
		for _, ref := range m.Metadata.OwnerReferences {
			if ref.Controller {
				i.owner = ref.UID
			}
		}
	}
	return i
}

// ref names the object.
func (m *metadata) ref(apiVersion, kind string) workload.Ref {
	return workload.Ref{APIVersion: apiVersion, Kind: kind, Namespace: m.Metadata.Namespace, Name: m.Metadata.Name}
}

// item is the object with what client-go's reflector asks for.
func (m *metadata) item(kept *workload.Object) *item {
	i := &item{record: record{object: kept, uid: m.Metadata.UID}}
	i.Name, i.Namespace, i.ResourceVersion = m.Metadata.Name, intern(m.Metadata.Namespace), m.Metadata.ResourceVersion
	// With it a watch says that all that existed has come.
	if end, ok := m.Metadata.Annotations[metav1.InitialEventsAnnotationKey]; ok {
		i.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: end}
	}
	return i
}

// decodeMetadata reads what can be read: a field of a wrong type hides no other.
func decodeMetadata(data []byte) metadata {
	var m metadata
	if json.Unmarshal(data, &m, workload.DecoderOptions()) == nil {
		return m
	}
	m = metadata{}
	fields := reflect.ValueOf(&m.Metadata).Elem()
	for i := range fields.NumField() {
		raw, err := workload.Raw(data, "/metadata/"+fields.Type().Field(i).Tag.Get("json"))
		if err == nil && json.Unmarshal(raw, fields.Field(i).Addr().Interface(), workload.DecoderOptions()) != nil {
			fields.Field(i).SetZero()
		}
	}
	return m
}

// slim returns what is kept of an object: what rules on bundles read, and what a
// budget is made from.
func slim(o *workload.Object) *workload.Object {
	kept := validate.ForBundle(o)
	if kept == nil {
		kept = &workload.Object{Ref: o.Ref}
	}
	kept.Ref = internRef(kept.Ref)
	switch {
	case kept.Workload != nil:
		w := kept.Workload
		w.Ref = kept.Ref
		w.Annotations = compact(w.Annotations, w.Ref.Name, read)
		w.Pod.Labels = compact(w.Pod.Labels, w.Ref.Name, nil)
		w.Selector = compactSelector(o.Workload.Selector, w.Ref.Name)
		if w.Labels = compact(w.Labels, w.Ref.Name, nil); maps.Equal(w.Labels, w.Pod.Labels) {
			w.Labels = w.Pod.Labels
		}
		if w.Selector != nil && maps.Equal(w.Selector.MatchLabels, w.Pod.Labels) {
			w.Selector.MatchLabels = w.Pod.Labels
		}
		// Exemptions look at it.
		w.Pod.RuntimeClassName = o.Workload.Pod.RuntimeClassName
	case kept.Budget != nil:
		b := kept.Budget
		b.Ref = kept.Ref
		b.Annotations = compact(b.Annotations, b.Ref.Name, read)
		b.Labels = compact(b.Labels, b.Ref.Name, nil)
		b.Selector = compactSelector(b.Selector, b.Ref.Name)
		if b.Controller != nil {
			b.Controller.APIVersion, b.Controller.Kind = intern(b.Controller.APIVersion), intern(b.Controller.Kind)
		}
	case kept.Autoscaler != nil:
		kept.Autoscaler.Ref = kept.Ref
		kept.Autoscaler.Target = internRef(kept.Autoscaler.Target)
	}
	return kept
}

// read reports whether anybody reads an annotation of that name.
func read(annotation string) bool {
	return strings.HasPrefix(annotation, "probity.dev/") || annotation == "helm.sh/hook" // as validate.ForBundle
}

// intern returns the one copy of a text that many objects share.
func intern(s string) string { return unique.Make(s).Value() }

func internRef(r workload.Ref) workload.Ref {
	return workload.Ref{APIVersion: intern(r.APIVersion), Kind: intern(r.Kind), Namespace: intern(r.Namespace), Name: strings.Clone(r.Name)}
}

// compact copies a map, as far as keep says yes; nil keeps all. Keys are the same
// in many objects, values most often the object's name.
func compact[M ~map[string]string](labels M, name string, keep func(key string) bool) M {
	n := 0
	for key := range labels {
		if keep == nil || keep(key) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	kept := make(M, n)
	for key, value := range labels {
		if keep != nil && !keep(key) {
			continue
		}
		if value == name {
			value = name
		}
		kept[intern(key)] = value
	}
	return kept
}

func compactSelector(s *workload.Selector, name string) *workload.Selector {
	if s == nil {
		return nil
	}
	return &workload.Selector{MatchLabels: compact(s.MatchLabels, name, nil), MatchExpressions: s.MatchExpressions}
}
