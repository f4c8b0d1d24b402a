package webhook

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/probity-dev/probity/validate"
)

// Namespaces says what holds in a namespace. An error means that nobody could
// say; the webhook's failure direction then applies.
type Namespaces interface {
	Settings(ctx context.Context, namespace string) (validate.Settings, error)
}

// Everywhere is the same settings for every namespace.
type Everywhere validate.Settings

// Settings returns e.
func (e Everywhere) Settings(context.Context, string) (validate.Settings, error) {
	return validate.Settings(e), nil
}

// LabelledNamespaces reads the settings off the labels of the cluster's
// namespaces. It keeps only what they say, and is told of changes by an informer.
type LabelledNamespaces struct {
	live     client.Reader
	defaults validate.Settings
	log      logr.Logger

	settings sync.Map // name -> validate.Settings
	synced   func() bool
}

// NewLabelledNamespaces watches namespaces through the cache. A namespace that the
// cache does not have yet is read through live.
func NewLabelledNamespaces(ctx context.Context, c cache.Cache, live client.Reader, defaults validate.Settings, log logr.Logger) (*LabelledNamespaces, error) {
	n := &LabelledNamespaces{live: live, defaults: defaults, log: log}
	informer, err := c.GetInformer(ctx, namespace())
	if err != nil {
		return nil, fmt.Errorf("watch namespaces: %w", err)
	}
	registration, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    func(obj any) { n.keep(obj) },
		UpdateFunc: func(_, obj any) { n.keep(obj) },
		DeleteFunc: n.forget,
	})
	if err != nil {
		return nil, fmt.Errorf("watch namespaces: %w", err)
	}
	n.synced = registration.HasSynced
	return n, nil
}

// Synced reports whether all namespaces that exist have been read once.
func (n *LabelledNamespaces) Synced() bool { return n.synced() }

// namespace is an empty Namespace of which only metadata is read.
func namespace() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}}
}

// Settings returns what the labels of a namespace say.
func (n *LabelledNamespaces) Settings(ctx context.Context, name string) (validate.Settings, error) {
	if s, ok := n.settings.Load(name); ok {
		return s.(validate.Settings), nil
	}
	ns := namespace()
	if err := n.live.Get(ctx, client.ObjectKey{Name: name}, ns); err != nil {
		return validate.Settings{}, fmt.Errorf("read namespace %s: %w", name, err)
	}
	return n.read(ns), nil
}

func (n *LabelledNamespaces) keep(obj any) {
	if ns, ok := obj.(*metav1.PartialObjectMetadata); ok {
		n.settings.Store(ns.Name, n.read(ns))
	}
}

func (n *LabelledNamespaces) forget(obj any) {
	if gone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	if ns, ok := obj.(*metav1.PartialObjectMetadata); ok {
		n.settings.Delete(ns.Name)
	}
}

// read logs an illegal label, which admission of the label should have refused.
func (n *LabelledNamespaces) read(ns *metav1.PartialObjectMetadata) validate.Settings {
	s := validate.NamespaceSettings(ns.Labels, n.defaults)
	if s.Problem != "" {
		n.log.Info("namespace has an illegal label", "namespace", ns.Name, "problem", s.Problem, "mode", s.Mode.String())
	}
	return s
}
