package e2e

import (
	"bytes"
	"io"
	"net"
	"slices"
	"sync"
	"testing"

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
