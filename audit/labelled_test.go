package audit

import (
	"context"
	"maps"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/probity-dev/probity/workload"
)

// labelled is a cache that has namespaces, and tells of their changes.
type labelled struct {
	ctrlcache.Cache
	ctrlcache.Informer

	mu      sync.Mutex
	all     map[string]*metav1.PartialObjectMetadata
	handler toolscache.ResourceEventHandler
}

func (l *labelled) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(l.all)) {
		list.(*metav1.PartialObjectMetadataList).Items = append(list.(*metav1.PartialObjectMetadataList).Items, *l.all[name])
	}
	return nil
}

func (l *labelled) GetInformer(context.Context, client.Object, ...ctrlcache.InformerGetOption) (ctrlcache.Informer, error) {
	return l, nil
}

func (l *labelled) AddEventHandler(h toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handler = h
	return nil, nil
}

func (l *labelled) RemoveEventHandler(toolscache.ResourceEventHandlerRegistration) error { return nil }

// label gives a namespace its mode; "" takes the namespace away.
func (l *labelled) label(name, mode string) {
	l.mu.Lock()
	before := l.all[name]
	after := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{workload.LabelMode: mode}}}
	l.all[name] = after
	if mode == "" {
		delete(l.all, name)
	}
	handler := l.handler
	l.mu.Unlock()
	switch {
	case handler == nil:
	case mode == "":
		handler.OnDelete(toolscache.DeletedFinalStateUnknown{Obj: before})
	case before == nil:
		handler.OnAdd(after, false)
	default:
		handler.OnUpdate(before, after)
	}
}
