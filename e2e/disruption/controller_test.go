package disruption

import (
	"context"
	"testing"
	"time"

	"github.com/go-logr/logr"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	discoveryfake "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	scalefake "k8s.io/client-go/scale/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/disruption"
)

// patience bounds the wait for the controller, on a machine that is busy.
const patience = 5 * time.Minute

// runController gives all namespaces to Kubernetes' own controller, and returns the
// status of each budget by namespace and name.
func runController(t *testing.T, namespaces []*namespace) map[string]policyv1.PodDisruptionBudgetStatus {
	t.Helper()
	var objects []runtime.Object
	scales, count := map[string]scale{}, 0
	for _, n := range namespaces {
		objects = append(objects, n.cluster...)
		count += n.budgets
		for name, s := range n.scales {
			scales[n.name+"/"+name] = s
		}
	}
	klog.SetLogger(logr.Discard()) // its events are of budgets that it cannot count, and they are many
	ctx, cancel := context.WithTimeout(klog.NewContext(t.Context(), logr.Discard()), patience)
	defer cancel()
	client := fake.NewSimpleClientset(objects...) // without field management, which changes no status and takes most of the time
	told := make(chan *policyv1.PodDisruptionBudget, 64)
	// Kept from the client's store: a watch of its own holds a hundred changes.
	client.PrependReactor("update", "poddisruptionbudgets", func(action clienttesting.Action) (bool, runtime.Object, error) {
		b := action.(clienttesting.UpdateAction).GetObject().(*policyv1.PodDisruptionBudget)
		told <- b
		return true, b, nil
	})
	factory := informers.NewSharedInformerFactory(client, 0)
	controller := disruption.NewDisruptionController(ctx,
		factory.Core().V1().Pods(), factory.Policy().V1().PodDisruptionBudgets(), factory.Core().V1().ReplicationControllers(), factory.Apps().V1().ReplicaSets(),
		factory.Apps().V1().Deployments(), factory.Apps().V1().StatefulSets(),
		client, mapper(), scaler(scales), discoverer())
	factory.Start(ctx.Done())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		controller.Run(ctx, 4)
	}()
	defer func() {
		cancel()
		for {
			select {
			case <-told: // what it was about to say again
			case <-stopped:
				return
			}
		}
	}()

	statuses := map[string]policyv1.PodDisruptionBudgetStatus{}
	for len(statuses) < count {
		select {
		case b := <-told:
			statuses[b.Namespace+"/"+b.Name] = b.Status
		case <-ctx.Done():
			t.Fatalf("waited %s for the controller; it has judged %d budgets of %d", patience, len(statuses), count)
		}
	}
	return statuses
}

// mapper knows the kinds whose scale the controller asks the API server for.
func mapper() meta.RESTMapper {
	m := meta.NewDefaultRESTMapper(nil)
	for _, kind := range []schema.GroupVersionKind{
		{Group: "apps", Version: "v1", Kind: "DaemonSet"},
		{Group: "apps", Version: "v1", Kind: "ReplicaSet"},
		{Group: "apps", Version: "v1", Kind: "StatefulSet"},
		{Group: "batch", Version: "v1", Kind: "Job"},
		{Group: "example.com", Version: "v1", Kind: "Game"},
		{Version: "v1", Kind: "ReplicationController"},
	} {
		m.Add(kind, meta.RESTScopeNamespace)
	}
	return m
}

// scaler answers for the scale subresource of games. Nothing else that it is asked
// for has one.
func scaler(scales map[string]scale) *scalefake.FakeScaleClient {
	client := &scalefake.FakeScaleClient{}
	client.AddReactor("get", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		get := action.(clienttesting.GetAction)
		s, ok := scales[get.GetNamespace()+"/"+get.GetName()]
		if get.GetResource().Resource != "games" || !ok {
			return true, nil, apierrors.NewNotFound(get.GetResource().GroupResource(), get.GetName())
		}
		return true, &autoscalingv1.Scale{
			ObjectMeta: metav1.ObjectMeta{Namespace: get.GetNamespace(), Name: get.GetName(), UID: s.uid},
			Spec:       autoscalingv1.ScaleSpec{Replicas: s.replicas},
		}, nil
	})
	return client
}

// discoverer lists the resources as an API server does: a DaemonSet and a Job have
// no scale subresource.
func discoverer() *discoveryfake.FakeDiscovery {
	list := func(groupVersion string, names ...string) *metav1.APIResourceList {
		l := &metav1.APIResourceList{GroupVersion: groupVersion}
		for _, name := range names {
			l.APIResources = append(l.APIResources, metav1.APIResource{Name: name})
		}
		return l
	}
	games := list("example.com/v1", "games")
	games.APIResources = append(games.APIResources, metav1.APIResource{Name: "games/scale", Group: "autoscaling", Version: "v1", Kind: "Scale"})
	return &discoveryfake.FakeDiscovery{Fake: &clienttesting.Fake{
		Resources: []*metav1.APIResourceList{list("apps/v1", "daemonsets", "daemonsets/status"), list("batch/v1", "jobs", "jobs/status"), games},
	}}
}
