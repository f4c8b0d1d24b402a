package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/probity-dev/probity/validate"
)

// Untouched reports whether a namespace is one of those that Kubernetes itself needs
// to come up. Admission never judges what is in them, whatever their labels say.
func Untouched(namespace string) bool {
	return namespace == "kube-system" || namespace == "kube-node-lease"
}

// namespace is what the scanner knows of one.
type namespace struct {
	name     string
	settings validate.Settings
}

// namespaces returns all that are judged, by name. Those on their way out are left
// alone: nothing can be written into them.
func (s *Scanner) namespaces(ctx context.Context) ([]namespace, error) {
	list := &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "NamespaceList"}}
	if err := s.cache.List(ctx, list); err != nil {
		return nil, fmt.Errorf("list namespaces: %w", err)
	}
	defaults := s.ruling.Load().Defaults
	var judged []namespace
	for i := range list.Items {
		ns := &list.Items[i]
		if settings := s.settings(ns, defaults); settings.Mode != validate.ModeOff {
			judged = append(judged, namespace{ns.Name, settings})
		}
	}
	slices.SortFunc(judged, func(a, b namespace) int { return strings.Compare(a.name, b.name) })
	return judged, nil
}

// settings are those that the audit goes by: off where nothing is judged.
func (s *Scanner) settings(ns *metav1.PartialObjectMetadata, defaults validate.Settings) validate.Settings {
	if Untouched(ns.Name) || ns.Name == s.own || ns.DeletionTimestamp != nil {
		return validate.Settings{}
	}
	return validate.NamespaceSettings(ns.Labels, defaults)
}

// follow puts each namespace on the agenda whose settings change, and what is gone.
// A new namespace is empty, and what comes into it has passed admission.
func (s *Scanner) follow(ctx context.Context) (stop func(), err error) {
	informer, err := s.cache.GetInformer(ctx, &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}})
	if err != nil {
		return nil, fmt.Errorf("watch namespaces: %w", err)
	}
	registration, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		UpdateFunc: func(before, after any) {
			b, _ := before.(*metav1.PartialObjectMetadata)
			a, ok := after.(*metav1.PartialObjectMetadata)
			if ok && b != nil && s.changes(b, a) {
				s.agenda.add(a.Name)
			}
		},
		DeleteFunc: func(obj any) {
			if gone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
				obj = gone.Obj
			}
			if ns, ok := obj.(*metav1.PartialObjectMetadata); ok {
				s.agenda.add(ns.Name)
			}
		},
	})
	if err != nil {
		return nil, fmt.Errorf("watch namespaces: %w", err)
	}
	return func() { _ = informer.RemoveEventHandler(registration) }, nil
}

// changes reports whether another verdict may come of a namespace's change.
func (s *Scanner) changes(before, after *metav1.PartialObjectMetadata) bool {
	defaults := s.ruling.Load().Defaults
	return s.settings(before, defaults) != s.settings(after, defaults)
}

// Namespace is what Probity reads of a namespace, and Annotations of which it reads none.
type Namespace struct{ Labels, Annotations map[string]string }

// Namespaces returns all namespaces of the cluster, by name.
func (l *Lister) Namespaces(ctx context.Context) (map[string]Namespace, error) {
	all := map[string]Namespace{}
	reader := &reader{lister: l}
	err := reader.read(ctx, Resource{"v1", "Namespace", "namespaces"}, func(raw []byte, _ identity) error {
		var ns metav1.PartialObjectMetadata
		if err := json.Unmarshal(raw, &ns); err != nil {
			return err
		}
		all[ns.Name] = Namespace{ns.Labels, ns.Annotations}
		return nil
	})
	return all, err
}

// Namespace returns one namespace.
func (l *Lister) Namespace(ctx context.Context, name string) (Namespace, error) {
	var ns metav1.PartialObjectMetadata
	err := l.get(ctx, "/api/v1/namespaces/"+name, &ns)
	return Namespace{ns.Labels, ns.Annotations}, err
}
