package faults

import (
	"context"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// balancer hands each connection to a replica that is ready, as a Service does. The
// API server keeps a connection, and sends everything over it.
type balancer struct {
	listener net.Listener

	mu       sync.Mutex
	replicas []*replica
}

func newBalancer(t testing.TB) *balancer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
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
	return b
}

func (b *balancer) address() string { return b.listener.Addr().String() }

func (b *balancer) add(r *replica) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.replicas = append(b.replicas, r)
}

// pick returns a replica that says that it is ready; nil when none does.
func (b *balancer) pick() *replica {
	b.mu.Lock()
	replicas := b.replicas
	b.mu.Unlock()
	for _, r := range replicas {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err := r.Ready(ctx)
		cancel()
		if err == nil {
			return r
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
	upstream, err := net.Dial("tcp", chosen.Addr())
	if err != nil {
		return
	}
	defer upstream.Close()
	done := make(chan struct{}, 2)
	pipe := func(to, from net.Conn) {
		_, _ = io.Copy(to, from)
		done <- struct{}{}
	}
	go pipe(upstream, conn)
	go pipe(conn, upstream)
	<-done
}
