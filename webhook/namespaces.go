package webhook

import (
	"context"
	"fmt"
	"sync"
	"unique"

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
	live   client.Reader
	log    logr.Logger
	synced func() bool

	known sync.Map // name -> labelled
	// mu is held where known or defaults change: a change of the defaults goes
	// through all of them.
	mu       sync.Mutex
	defaults validate.Settings
	told     []func(name string, holds validate.Settings)
}

// labelled is a namespace: the labels of the cached object, and what they come to, which
// is the same in thousands of namespaces.
type labelled struct {
	labels   map[string]string
	settings unique.Handle[validate.Settings]
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

// OnChange calls changed with what holds in a namespace that is new, or in which
// something else holds than before. It must return soon and not ask back. It is to
// be called before the cache is started.
func (n *LabelledNamespaces) OnChange(changed func(name string, holds validate.Settings)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.told = append(n.told, changed)
}

// take notes what a namespace says. The caller holds mu.
func (n *LabelledNamespaces) take(name string, now labelled) {
	before, known := n.known.Swap(name, now)
	if known && before.(labelled).settings == now.settings {
		return
	}
	for _, changed := range n.told {
		changed(name, now.settings.Value())
	}
}

// Synced reports whether all namespaces that exist have been read once.
func (n *LabelledNamespaces) Synced() bool { return n.synced() }

// namespace is an empty Namespace of which only metadata is read.
func namespace() *metav1.PartialObjectMetadata {
	return &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}}
}

// Settings returns what the labels of a namespace say.
func (n *LabelledNamespaces) Settings(ctx context.Context, name string) (validate.Settings, error) {
	if l, ok := n.known.Load(name); ok {
		return l.(labelled).settings.Value(), nil
	}
	ns := namespace()
	if err := n.live.Get(ctx, client.ObjectKey{Name: name}, ns); err != nil {
		return validate.Settings{}, fmt.Errorf("read namespace %s: %w", name, err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.read(ns), nil
}

// WithLabels returns what holds in a namespace with these labels.
func (n *LabelledNamespaces) WithLabels(labels map[string]string) validate.Settings {
	n.mu.Lock()
	defer n.mu.Unlock()
	return validate.NamespaceSettings(labels, n.defaults)
}

// SetDefaults changes what holds where labels do not say.
func (n *LabelledNamespaces) SetDefaults(defaults validate.Settings) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.defaults = defaults
	n.known.Range(func(name, l any) bool {
		labels := l.(labelled).labels
		n.take(name.(string), labelled{labels, unique.Make(validate.NamespaceSettings(labels, defaults))})
		return true
	})
}

func (n *LabelledNamespaces) keep(obj any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if ns, ok := obj.(*metav1.PartialObjectMetadata); ok {
		n.take(ns.Name, labelled{ns.Labels, unique.Make(n.read(ns))})
	}
}

func (n *LabelledNamespaces) forget(obj any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if gone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	if ns, ok := obj.(*metav1.PartialObjectMetadata); ok {
		n.known.Delete(ns.Name)
	}
}

// read returns what a namespace says. It logs an illegal label, which admission of the
// label should have refused. The caller holds mu.
func (n *LabelledNamespaces) read(ns *metav1.PartialObjectMetadata) validate.Settings {
	s := validate.NamespaceSettings(ns.Labels, n.defaults)
	if s.Problem != "" {
		n.log.Info("namespace has an illegal label", "namespace", ns.Name, "problem", s.Problem, "mode", s.Mode.String())
	}
	return s
}
