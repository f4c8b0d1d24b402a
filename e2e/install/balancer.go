package install

import (
	"bytes"
	"context"
	"io"
	"net"
	"slices"
	"sync"
	"time"
)

// answerTimeout is how long a backend may take to say that it is ready, as a kubelet
// gives a probe.
const answerTimeout = time.Second

// Balancer hands connections to ready backends in turn, as a Service does. What comes
// over a connection later goes to the same backend.
type Balancer struct {
	listener net.Listener

	mu       sync.Mutex
	next     int
	backends []*backend
}

type backend struct {
	address string
	ready   func(context.Context) error
	// dialling are connections that the backend may get, and has not answered yet.
	dialling sync.WaitGroup
}

// NewBalancer returns one without backends.
func NewBalancer() (*Balancer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &Balancer{listener: listener}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // It was closed.
			}
			go b.forward(conn)
		}
	}()
	return b, nil
}

// Close takes no more connections. Those that were handed over stay.
func (b *Balancer) Close() error { return b.listener.Close() }

// Addr is the host and port to call.
func (b *Balancer) Addr() string { return b.listener.Addr().String() }

// Add adds a backend, which gets connections while ready returns no error. Remove
// returns when the backend has every connection that was meant for it, and may close
// its listener; `probity serve` waits a while for that.
func (b *Balancer) Add(address string, ready func(context.Context) error) (remove func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	added := &backend{address: address, ready: ready}
	b.backends = append(b.backends, added)
	return func() {
		b.mu.Lock()
		b.backends = slices.DeleteFunc(b.backends, func(x *backend) bool { return x == added })
		b.mu.Unlock()
		added.dialling.Wait()
	}
}

// inTurn returns all backends, the one first whose turn it is. Each has a connection
// more until the caller says that it is done.
func (b *Balancer) inTurn() []*backend {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next++
	all := make([]*backend, len(b.backends))
	for i := range all {
		all[i] = b.backends[(b.next+i)%len(b.backends)]
		all[i].dialling.Add(1)
	}
	return all
}

// pick returns a backend that is ready, with a connection more; nil when none is.
func (b *Balancer) pick() (chosen *backend) {
	for _, x := range b.inTurn() { // unlocked: one that hangs holds up nobody else
		if chosen == nil && x.isReady() {
			chosen = x
			continue
		}
		x.dialling.Done()
	}
	return chosen
}

func (x *backend) isReady() bool {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	return x.ready(ctx) == nil
}

func (b *Balancer) forward(conn net.Conn) {
	defer conn.Close()
	chosen := b.pick()
	if chosen == nil {
		return
	}
	answered := sync.OnceFunc(chosen.dialling.Done)
	defer answered()
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
			answered() // It takes part in the handshake.
			_, _ = io.Copy(conn, io.MultiReader(bytes.NewReader(first), upstream))
		}
		done <- struct{}{}
	}()
	<-done
}
