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

// controllerName stands in logs and in controller-runtime's metrics.
const controllerName = "certs"

// setup watches the three objects, each by its name: the permissions need no
// more than those names, and the memory no more than those objects.
func (r *selfManaged) setup(mgr manager.Manager) error {
	objects := r.watched()
	watch, err := cache.New(mgr.GetConfig(), cache.Options{
		HTTPClient: mgr.GetHTTPClient(),
		Scheme:     mgr.GetScheme(),
		Mapper:     mgr.GetRESTMapper(),
		ByObject:   objects,
	})
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	if err := mgr.Add(onEveryReplica{watch}); err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	r.reader, r.writer = watch, mgr.GetClient()

	c, err := controller.New(controllerName, mgr, controller.Options{
		Reconciler:         r,
		NeedLeaderElection: ptr.To(false),
		// Several managers in one process, as tests of replicas have, are no mistake.
		SkipNameValidation: ptr.To(true),
		// The default waits up to 16 minutes after failures, here without webhooks.
		RateLimiter: workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](50*time.Millisecond, 10*time.Second),
	})
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	request := reconcile.Request{NamespacedName: r.options.Secret}
	for object := range objects {
		toRequest := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
			return []reconcile.Request{request}
		})
		if err := c.Watch(source.Kind(watch, object, toRequest)); err != nil {
			return fmt.Errorf("certificate: watch %T: %w", object, err)
		}
	}
	// On a new cluster none of the three exists, and nothing would begin.
	return c.Watch(source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		queue.Add(request)
		return nil
	}))
}

func (r *selfManaged) watched() map[client.Object]cache.ByObject {
	byName := func(name string) fields.Selector { return fields.OneTermEqualSelector("metadata.name", name) }
	objects := map[client.Object]cache.ByObject{
		&corev1.Secret{}: {Namespaces: map[string]cache.Config{
			r.options.Secret.Namespace: {FieldSelector: byName(r.options.Secret.Name)},
		}},
	}
	if name := r.options.ValidatingConfiguration; name != "" {
		objects[&admissionregistrationv1.ValidatingWebhookConfiguration{}] = cache.ByObject{Field: byName(name)}
	}
	if name := r.options.MutatingConfiguration; name != "" {
		objects[&admissionregistrationv1.MutatingWebhookConfiguration{}] = cache.ByObject{Field: byName(name)}
	}
	return objects
}

// onEveryReplica starts a cache without waiting for leadership.
type onEveryReplica struct{ cache.Cache }

// NeedLeaderElection makes it a manager.LeaderElectionRunnable.
func (onEveryReplica) NeedLeaderElection() bool { return false }
