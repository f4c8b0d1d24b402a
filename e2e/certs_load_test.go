package e2e

import (
	"bytes"
	"context"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/probity-dev/probity/certs"
)

// balancer hands connections to ready replicas in turn, as a Service does.
type balancer struct {
	listener net.Listener
	mu       sync.Mutex
	next     int
	backends []*backend
}

type backend struct {
	address string
	certs   *certs.Manager
	// dialling are connections that the backend has not answered yet.
	dialling sync.WaitGroup
}

func newBalancer(t *testing.T) *balancer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &balancer{listener: listener}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // It was closed.
			}
			go b.forward(conn)
		}
	}()
	t.Cleanup(func() { listener.Close() })
	return b
}

func (b *balancer) address() string { return b.listener.Addr().String() }

// add adds a backend. remove returns when the backend has every connection that
// was meant for it, and may close its listener; serve waits a while for that.
func (b *balancer) add(address string, m *certs.Manager) (remove func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	added := &backend{address: address, certs: m}
	b.backends = append(b.backends, added)
	return func() {
		b.mu.Lock()
		b.backends = slices.DeleteFunc(b.backends, func(x *backend) bool { return x == added })
		b.mu.Unlock()
		added.dialling.Wait()
	}
}

// pick returns a backend that is ready, nil when none is.
func (b *balancer) pick() *backend {
	b.mu.Lock()
	defer b.mu.Unlock()
	for range b.backends {
		b.next++
		if x := b.backends[b.next%len(b.backends)]; x.certs.Ready() == nil {
			x.dialling.Add(1)
			return x
		}
	}
	return nil
}

func (b *balancer) forward(conn net.Conn) {
	defer conn.Close()
	chosen := b.pick()
	if chosen == nil {
		return
	}
	accepted := sync.OnceFunc(chosen.dialling.Done)
	defer accepted()
	upstream, err := net.Dial("tcp", chosen.address)
	if err != nil {
		return
	}
	defer upstream.Close()
	done := make(chan struct{}, 2)
	go func() {
		_, _ = io.Copy(upstream, conn)
		done <- struct{}{}
	}()
	go func() {
		first := make([]byte, 1)
		if _, err := io.ReadFull(upstream, first); err == nil {
			accepted() // It answers the handshake.
			_, _ = io.Copy(conn, io.MultiReader(bytes.NewReader(first), upstream))
		}
		done <- struct{}{}
	}()
	<-done
}

// loaders is how many requests of a load are under way at once.
const loaders = 4

// load creates Deployments, each through both webhooks, until it is stopped.
type load struct {
	cancel  context.CancelFunc
	workers sync.WaitGroup
	created atomic.Int64
	mu      sync.Mutex
	refused []error
}

func (c *certCluster) startLoad() *load {
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.t.Context()))
	l := &load{cancel: cancel}
	for range loaders {
		l.workers.Go(func() {
			for ctx.Err() == nil {
				l.count(ctx, c.admin.Create(ctx, probedDeployment(), client.DryRunAll))
			}
		})
	}
	return l
}

func (l *load) count(ctx context.Context, err error) {
	switch {
	case err == nil:
		l.created.Add(1)
	case ctx.Err() == nil:
		l.mu.Lock()
		defer l.mu.Unlock()
		l.refused = append(l.refused, err)
	}
}

// stop fails the test when a request was refused, or none was made.
func (l *load) stop(t *testing.T) {
	t.Helper()
	l.cancel()
	l.workers.Wait()
	if l.created.Load() == 0 {
		t.Error("no request was made")
	}
	t.Logf("%d requests were made meanwhile", l.created.Load())
	if len(l.refused) > 0 {
		t.Errorf("%d of %d requests were refused, the first one: %v", len(l.refused), l.created.Load()+int64(len(l.refused)), l.refused[0])
	}
}

func probedDeployment() *appsv1.Deployment {
	labels := map[string]string{"app": "orders"}
	d := &appsv1.Deployment{}
	d.Namespace, d.GenerateName = "shop", "orders-"
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Template.Labels = labels
	d.Spec.Template.Spec.Containers = []corev1.Container{{
		Name: "app", Image: "app:1",
		LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"true"}}}},
	}}
	return d
}
