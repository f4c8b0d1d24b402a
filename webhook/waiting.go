package webhook

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// usualTimeout is how long the API server waits for an answer where it does not say.
const usualTimeout = 2 * time.Second

// waiting is the context of one review. All that the review waits for, a namespace,
// neighbours, permissions, shares its deadline: a quarter of what the API server
// waits for is left for everything else. Hardly any review waits, and a timer for
// each would cost: it is started by the first who asks for it.
type waiting struct {
	context.Context // the request's
	start           time.Time
	query           string

	// pause is called where the review begins to wait; nil for nothing.
	pause func()

	once  sync.Once
	timed context.Context
	stop  context.CancelFunc
}

func newWaiting(r *http.Request, start time.Time) *waiting {
	return &waiting{Context: r.Context(), start: start, query: r.URL.RawQuery}
}

// Deadline, Done and Err make it a context.Context.
func (w *waiting) Deadline() (time.Time, bool) { return w.wait().Deadline() }

// Done is closed at the deadline, or when the caller has gone.
func (w *waiting) Done() <-chan struct{} { return w.wait().Done() }

// Err says which of them it was.
func (w *waiting) Err() error { return w.wait().Err() }

func (w *waiting) wait() context.Context {
	if w.pause != nil {
		w.pause()
	}
	return w.begin()
}

func (w *waiting) begin() context.Context {
	w.once.Do(func() {
		w.timed, w.stop = context.WithDeadline(w.Context, w.start.Add(patience(w.query)))
	})
	return w.timed
}

// end stops the timer, if there is one.
func (w *waiting) end() {
	w.once.Do(func() { w.timed, w.stop = w.Context, func() {} })
	w.stop()
}

// patience is how long a review may wait. The API server writes its own timeout
// into the query (rest.Request.Timeout of client-go). Longer than usual is no reason
// to wait longer: a person does, too.
func patience(query string) time.Duration {
	timeout := usualTimeout
	if values, err := url.ParseQuery(query); err == nil {
		if said, err := time.ParseDuration(values.Get("timeout")); err == nil && said > 0 {
			timeout = min(timeout, said)
		}
	}
	return timeout * 3 / 4
}
