package budget

import (
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/probity-dev/probity/validate"
)

// pageSize bounds what a list holds at once, where the API server does not stream
// the first state.
const pageSize = 500

// resource is a kind that is watched.
type resource struct {
	schema.GroupVersionKind
	plural string
	// template is the path of a custom kind's pod template.
	template string
}

// budgets are what is watched and written.
func budgets() resource {
	return resource{GroupVersionKind: schema.GroupVersionKind{Group: "policy", Version: "v1", Kind: budgetKind}, plural: "poddisruptionbudgets"}
}

// always are the resources that every cluster has. Without one of them it cannot
// be said what a budget should be. DaemonSets get none: they are among them for the
// pods that they share, and for budgets that cannot count them.
func always() []resource {
	return []resource{
		{GroupVersionKind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}, plural: "deployments"},
		{GroupVersionKind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "StatefulSet"}, plural: "statefulsets"},
		{GroupVersionKind: schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "DaemonSet"}, plural: "daemonsets"},
		budgets(),
		{GroupVersionKind: schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}, plural: "horizontalpodautoscalers"},
	}
}

// watches are those that run, and how far they are.
type watches struct {
	mu sync.Mutex
	// complete is set while those that run are the ones that should.
	complete bool
	running  map[schema.GroupKind]*watching
	// whole is set while they are complete, and all of them settled.
	whole bool
}

// watching is the watch of one resource.
type watching struct {
	resource resource
	optional bool
	stop     context.CancelFunc
	done     chan struct{}

	// synced is set when the first state has come, and refused while an optional
	// resource may not be read. The mutex of watches guards them.
	synced, refused bool
}

// change changes the watches, or how far they are. It reports whether they have
// become whole by that.
func (w *watches) change(how func()) (whole bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	how()
	before := w.whole
	w.whole = w.complete
	for _, one := range w.running {
		w.whole = w.whole && (one.synced || one.refused)
	}
	return w.whole && !before
}

// settle changes the watches, or how far they are. Until they are whole nothing can
// be decided, so that then it is to be decided on everything.
func (s *State) settle(how func()) {
	if s.watches.change(how) {
		s.tell(s.concerned(""))
	}
}

// run starts the watch of a resource, which ends with the context or by stop. The
// caller holds the mutex of watches.
func (s *State) run(ctx context.Context, r resource, optional bool) error {
	client, err := s.client(r)
	if err != nil {
		return fmt.Errorf("watch %s: %w", r.plural, err)
	}
	ctx, stop := context.WithCancel(ctx)
	one := &watching{resource: r, optional: optional, stop: stop, done: make(chan struct{})}
	// An untyped expectation: the codec makes nothing but items.
	reflector := toolscache.NewReflectorWithOptions(s.listWatch(client, one), nil, &store{state: s, watching: one}, toolscache.ReflectorOptions{
		Logger: &s.log, Name: r.plural, TypeDescription: r.Kind,
	})
	reflector.WatchListPageSize = pageSize
	s.watches.running[r.GroupKind()] = one
	go func() {
		defer close(one.done)
		reflector.RunWithContext(ctx)
	}()
	return nil
}

// client returns one that reads items of a resource, and takes whatever it is given to
// write.
func (s *State) client(r resource) (rest.Interface, error) {
	config := rest.CopyConfig(s.options.Config)
	gv := r.GroupVersion()
	config.APIPath, config.GroupVersion = "/apis", &gv
	config.NegotiatedSerializer = codec{&s.kinds, r.GroupVersionKind, s.log}
	config.ContentType, config.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	config.QPS = -1 // a handful of watches, and writers that the API server's own limits bound better
	return rest.RESTClientForConfigAndClient(config, s.options.Client)
}

func (s *State) listWatch(client rest.Interface, one *watching) *toolscache.ListWatch {
	request := func(o metav1.ListOptions) *rest.Request {
		return client.Get().Resource(one.resource.plural).SpecificallyVersionedParams(&o, clientgoscheme.ParameterCodec, schema.GroupVersion{Version: "v1"})
	}
	return &toolscache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			list, err := request(o).Do(ctx).Get()
			s.note(one, err)
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.Watch = true
			w, err := request(o).Watch(ctx)
			s.note(one, err)
			return w, err
		},
	}
}

// note keeps a resource that may not be read from holding up the others, if they
// can do without it.
func (s *State) note(one *watching, err error) {
	refused := one.optional && (apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err))
	if err != nil && !refused {
		return
	}
	s.settle(func() {
		if refused && !one.refused {
			s.log.Info("resource cannot be watched, its budgets are not made", "resource", one.resource.plural+"."+one.resource.Group, "error", err.Error())
		}
		one.refused = refused
	})
}

// halt ends a watch and forgets what it brought. The caller does not hold the mutex of
// watches, which the watch may be waiting for.
func (s *State) halt(one *watching) {
	one.stop()
	<-one.done
	for id := range s.of(one.resource.Group, one.resource.Kind) {
		s.remove(id)
	}
}

// store is where the reflector of one resource puts what it reads.
type store struct {
	state    *State
	watching *watching
}

// Add makes a store a toolscache.ReflectorStore, and so on.
func (s *store) Add(obj any) error {
	if i, ok := obj.(*item); ok {
		r := i.record
		s.state.put(&r)
	}
	return nil
}

// Update is Add.
func (s *store) Update(obj any) error { return s.Add(obj) }

// Delete forgets an object, but not another that has its name since: a budget that
// this process took away may be made again before the watch tells of its end.
func (s *store) Delete(obj any) error {
	if i, ok := obj.(*item); ok {
		s.state.removeIf(validate.IdentityOf(i.object.Ref), func(known *record) bool { return known.uid == i.uid })
	}
	return nil
}

// Replace takes a whole state, and so marks the resource as synced. A budget that was
// written after that version is not missing in it.
func (s *store) Replace(list []any, version string) error {
	gone := s.state.of(s.watching.resource.Group, s.watching.resource.Kind)
	for _, obj := range list {
		if i, ok := obj.(*item); ok {
			delete(gone, validate.IdentityOf(i.object.Ref))
		}
		if err := s.Add(obj); err != nil {
			return err
		}
	}
	for id := range gone {
		s.state.removeIf(id, func(known *record) bool { return !before(version, known.version) })
	}
	s.state.settle(func() { s.watching.synced = true })
	return nil
}

// Resync does nothing: who reads the state asks for all of it.
func (*store) Resync() error { return nil }
