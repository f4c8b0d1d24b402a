package certmanager

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// loaders is how many requests are under way at once.
const loaders = 3

// load creates Deployments, each through both webhooks, until it is stopped.
type load struct {
	cancel  context.CancelFunc
	workers sync.WaitGroup
	created atomic.Int64
	mu      sync.Mutex
	refused []error
}

func (c *cluster) startLoad() *load {
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.t.Context()))
	l := &load{cancel: cancel}
	for range loaders {
		l.workers.Go(func() {
			for ctx.Err() == nil {
				err := c.client.Create(ctx, probedDeployment(), client.DryRunAll)
				if err == nil {
					l.created.Add(1)
				} else if ctx.Err() == nil {
					l.mu.Lock()
					l.refused = append(l.refused, err)
					l.mu.Unlock()
				}
			}
		})
	}
	return l
}

// stop fails the test when a request was refused, or none was made.
func (l *load) stop(t *testing.T) {
	t.Helper()
	l.cancel()
	l.workers.Wait()
	if len(l.refused) > 0 || l.created.Load() == 0 {
		t.Errorf("%d requests went through, %d were refused: %v", l.created.Load(), len(l.refused), l.refused)
	}
}

// underLoad does something while requests are made, and fails the test when the API
// server counted a call of a webhook that failed.
func (c *cluster) underLoad(do func()) {
	c.t.Helper()
	before := c.failedCalls()
	load := c.startLoad()
	do()
	// Some more, now that all has settled.
	enough := load.created.Load() + 20
	c.eventually("requests are made", func() error {
		if load.created.Load() < enough {
			return context.DeadlineExceeded
		}
		return nil
	})
	load.stop(c.t)
	c.t.Logf("%d requests were made meanwhile", load.created.Load())
	if after := c.failedCalls(); after != before {
		c.t.Errorf("%.0f calls of webhooks failed", after-before)
	}
}

// failedCalls returns how many calls of webhooks failed so far, as the API server
// counts them.
func (c *cluster) failedCalls() float64 {
	c.t.Helper()
	var sum float64
	for _, name := range []string{"apiserver_admission_webhook_rejection_count", "apiserver_admission_webhook_fail_open_count"} {
		n, err := c.control.Metric(c.t.Context(), name, nil)
		check(c.t, err)
		sum += n
	}
	return sum
}

func probedDeployment() *appsv1.Deployment {
	labels := map[string]string{"app": "orders"}
	d := &appsv1.Deployment{}
	d.Namespace, d.GenerateName = "shop", "orders-"
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	d.Spec.Template.Spec.Containers = []corev1.Container{{
		Name: "app", Image: "app:1",
		LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"true"}}}, TimeoutSeconds: 2},
	}}
	return d
}
