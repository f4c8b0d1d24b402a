package helm

import (
	"context"
	"sync"
	"sync/atomic"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// underLoad does something while Deployments are made, and fails the test when one
// is refused or the API server counts a call of a webhook that failed.
func (f *fixture) underLoad(what string, do func()) {
	f.t.Helper()
	before := f.failedCalls()
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.t.Context()))
	defer cancel()
	var made atomic.Int64
	var workers sync.WaitGroup
	workers.Go(func() {
		for ctx.Err() == nil {
			if err := f.client.Create(ctx, probedDeployment(asksItself), client.DryRunAll); err == nil {
				made.Add(1)
			} else if ctx.Err() == nil {
				f.t.Errorf("%s: a request was refused: %v", what, err)
			}
		}
	})
	more := func() {
		enough := made.Load() + 3
		f.eventually("requests are made", func() error {
			if made.Load() < enough {
				return context.DeadlineExceeded
			}
			return nil
		})
	}
	more()
	do()
	more()
	cancel()
	workers.Wait()
	if after := f.failedCalls(); after != before {
		f.t.Errorf("%s: %.0f calls of webhooks failed", what, after-before)
	}
}

// failedCalls returns how many calls of webhooks failed so far, as the API server
// counts them.
func (f *fixture) failedCalls() float64 {
	f.t.Helper()
	open, err := f.control.Metric(f.t.Context(), "apiserver_admission_webhook_fail_open_count", nil)
	check(f.t, err)
	errored, err := f.control.Metric(f.t.Context(), "apiserver_admission_webhook_rejection_count", map[string]string{"error_type": "calling_webhook_error"})
	check(f.t, err)
	return open + errored
}

func probedDeployment(path string) *appsv1.Deployment {
	labels := map[string]string{"app": "orders"}
	d := &appsv1.Deployment{}
	d.Namespace, d.GenerateName = "shop", "orders-"
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	d.Spec.Template.Spec.Containers = []corev1.Container{{
		Name: "app", Image: "registry.example/app:1",
		LivenessProbe: &corev1.Probe{
			ProbeHandler:   corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromInt32(8080)}},
			TimeoutSeconds: 2,
		},
	}}
	return d
}
