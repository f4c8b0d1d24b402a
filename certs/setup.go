package certs

import (
	"context"
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// forever is as long as no process lives.
const forever = 100 * 365 * 24 * time.Hour

// controllerName stands in logs and in controller-runtime's metrics.
const controllerName = "certs"

// setup watches what the certificate depends on.
func (r *selfManaged) setup(mgr manager.Manager) error {
	reader, err := r.options.follow(mgr, r)
	r.reader, r.writer = reader, mgr.GetClient()
	return err
}

// follow calls the reconciler when one of the three objects changes, and returns
// a copy of them. Each is watched by its name: the permissions need no more than
// those names, and the memory no more than those objects.
func (o Options) follow(mgr manager.Manager, reconciler reconcile.Reconciler) (client.Reader, error) {
	objects := o.watched()
	watch, err := cache.New(mgr.GetConfig(), cache.Options{
		HTTPClient: mgr.GetHTTPClient(),
		Scheme:     mgr.GetScheme(),
		Mapper:     mgr.GetRESTMapper(),
		ByObject:   objects,
	})
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	if err := mgr.Add(onEveryReplica{watch}); err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	c, err := controller.New(controllerName, mgr, controller.Options{
		Reconciler:         reconciler,
		NeedLeaderElection: ptr.To(false),
		// Several managers in one process, as tests of replicas have, are no mistake.
		SkipNameValidation: ptr.To(true),
		// The default ends the process after two minutes without permission to read. It
		// can only wait: what it needs comes from somebody who is to read its log.
		CacheSyncTimeout: forever,
		// The default waits up to 16 minutes after failures, here without webhooks.
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](50*time.Millisecond, 10*time.Second),
	})
	if err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	request := reconcile.Request{NamespacedName: o.Secret}
	for object := range objects {
		toRequest := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
			return []reconcile.Request{request}
		})
		if err := c.Watch(source.Kind(watch, object, toRequest)); err != nil {
			return nil, fmt.Errorf("certificate: watch %T: %w", object, err)
		}
	}
	// On a new cluster none of the three exists, and nothing would begin.
	return watch, c.Watch(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		queue.Add(request)
		return nil
	}))
}

func (o Options) watched() map[client.Object]cache.ByObject {
	byName := func(name string) fields.Selector { return fields.OneTermEqualSelector("metadata.name", name) }
	objects := map[client.Object]cache.ByObject{
		&corev1.Secret{}: {Namespaces: map[string]cache.Config{
			o.Secret.Namespace: {FieldSelector: byName(o.Secret.Name)},
		}},
	}
	if name := o.ValidatingConfiguration; name != "" {
		objects[&admissionregistrationv1.ValidatingWebhookConfiguration{}] = cache.ByObject{Field: byName(name)}
	}
	if name := o.MutatingConfiguration; name != "" {
		objects[&admissionregistrationv1.MutatingWebhookConfiguration{}] = cache.ByObject{Field: byName(name)}
	}
	return objects
}

// onEveryReplica starts a cache without waiting for leadership.
type onEveryReplica struct{ cache.Cache }

// NeedLeaderElection makes it a manager.LeaderElectionRunnable.
func (onEveryReplica) NeedLeaderElection() bool { return false }
