package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync/atomic"
)

// What the handlers of one process take at a time. More is refused at once, with
// status 503: the API server then applies the failurePolicy, which is better than
// to let it wait for an answer that comes too late for all.
//
// The arithmetic, for the container of manifests/base (256 MiB, GOMEMLIMIT 230 MiB,
// some 100 MiB of them in use in a cluster of 10,000 workloads):
//
//   - An ordinary burst passes. An API server has at most 600 requests in flight
//     (--max-requests-inflight and --max-mutating-requests-inflight, 400 and 200),
//     and waits for one review of each at a time, or two of an object that both
//     validating webhooks match. Three API servers whose connections all lead to
//     one replica, and that do nothing but such writes, are 1,800 reviews.
//   - Memory: a review in flight costs about 16 KiB beside its body (goroutine,
//     stream, request), so 2,048 of them 32 MiB; their bodies 32 MiB more. The
//     usual body is 11 KiB in a buffer of 16, and 2,048 of those are 32 MiB.
//     Decoded objects exist only for those that are judged, one a core.
//   - Time: a usual review takes 80 us of a core, so the last of 2,048 waits 0.16 s
//     on one core. Large objects take about 10 ns a byte, so 32 MiB of them wait
//     0.3 s. The API server waits for 2 s.
const (
	maxInFlight      = 2048
	maxInFlightBytes = 32 << 20
)

// firstBuffer holds the usual review of an API server, whose defaults and
// managedFields included (11 KiB).
const firstBuffer = 16 << 10

// load is what the handlers have taken. The zero value is not ready for use.
type load struct {
	reviews, bytes atomic.Int64
	// maxReviews and maxBytes are the constants, but in tests.
	maxReviews, maxBytes int64
	// cores lets as many reviews be judged at a time as there are cores: one more
	// would make all of them slower. A review that waits for something gives its
	// place away.
	cores chan struct{}
}

func newLoad() *load {
	return &load{maxReviews: maxInFlight, maxBytes: maxInFlightBytes, cores: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// Reasons of a refusal for load, as the metric has them.
const (
	tooMany  = "reviews"
	tooLarge = "bytes"
	tooLate  = "wait"
)

// overload says why a review is not taken.
type overload struct{ reason, text string }

func (o *overload) Error() string { return "Probity is overloaded: " + o.text }

func unserved(why error) *httpError { return &httpError{http.StatusServiceUnavailable, why} }

// enter takes one more review. The caller leaves, when it was taken.
func (l *load) enter() *overload {
	if l.reviews.Add(1) > l.maxReviews {
		l.reviews.Add(-1)
		return &overload{tooMany, fmt.Sprintf("the reviews in flight have reached their limit of %d", l.maxReviews)}
	}
	return nil
}

func (l *load) leave() { l.reviews.Add(-1) }

// account is the share of one review in the bytes.
type account struct {
	load *load
	held int64
}

// hold raises what the review holds.
func (a *account) hold(total int) *overload {
	more := int64(total) - a.held
	if more <= 0 {
		return nil
	}
	if a.load.bytes.Add(more) > a.load.maxBytes {
		a.load.bytes.Add(-more)
		return &overload{tooLarge, fmt.Sprintf("the bodies of reviews in flight are over %d MiB", a.load.maxBytes>>20)}
	}
	a.held = int64(total)
	return nil
}

func (a *account) release() {
	a.load.bytes.Add(-a.held)
	a.held = 0
}

// place is the right of one review to a core.
type place struct {
	load *load
	held atomic.Bool
}

// take waits for a core until the review's deadline. The review gives it away
// where it waits for anything else.
func (l *load) take(w *waiting) (*place, error) {
	select {
	case l.cores <- struct{}{}:
	default:
		timed := w.begin()
		select {
		case l.cores <- struct{}{}:
		case <-timed.Done():
			if errors.Is(timed.Err(), context.Canceled) {
				return nil, fmt.Errorf("the caller went away: %w", timed.Err())
			}
			return nil, &overload{tooLate, "no core came free in the time that the API server waits"}
		}
	}
	p := &place{load: l}
	p.held.Store(true)
	w.pause = p.give
	return p, nil
}

// give lets the next one have the core. It may be called again.
func (p *place) give() {
	if p.held.CompareAndSwap(true, false) {
		<-p.load.cores
	}
}

// grown returns the buffer with room for more, or why there is none. A body
// arrives before its room is taken: what a caller only announces costs nothing.
func grown(buf []byte, announced int64, a *account) ([]byte, *overload) {
	room := max(2*cap(buf), firstBuffer)
	if announced >= 0 && int64(room) > announced {
		room = max(int(announced)+1, cap(buf)+512) // and one to find its end by
	}
	if o := a.hold(room); o != nil {
		return buf, o
	}
	return append(make([]byte, 0, room), buf...), nil
}
