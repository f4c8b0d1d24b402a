// Package webhook is the HTTP edge of admission: a review comes in, is judged by
// package validate or given a patch by package mutate, and goes out. It writes
// nothing to the cluster.
package webhook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"

	"github.com/probity-dev/probity/complaints"
	"github.com/probity-dev/probity/escape"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// maxBody bounds a review. etcd refuses requests over 1.5 MiB and the API server
// bodies over 3 MiB (k8s.io/apiserver, MaxRequestBodyBytes); an update carries the
// object twice, and JSON may be larger than the protobuf that was sent.
const maxBody = 7 << 20

// maxPooled keeps one huge review from pinning its buffer for ever.
const maxPooled = 256 << 10

// Options are what a Handler answers with, whatever the configuration says.
type Options struct {
	Namespaces Namespaces
	// Neighbours are what budgets are judged by; nil for none: then no rule about
	// budgets is asked. Live, when it is not nil, confirms a refusal by them.
	Neighbours Neighbours
	Live       Live
	// Permissions may be nil: then nobody may exempt where the configuration
	// asks for a permission.
	Permissions Permissions
	Metrics     *Metrics
	Log         logr.Logger
	// Now is the clock by which exemptions end; nil means time.Now.
	Now func() time.Time
	// Preview, if there is one, looks at what a namespace holds when it is labelled.
	Preview *Preview
	// Observer, if there is one, is told of findings.
	Observer Observer
}

// Ruling is what reviews are judged by, as a configuration has it.
type Ruling struct {
	Kinds *workload.Kinds
	// Policies has a policy for each profile.
	Policies map[validate.Profile]*validate.Policy
	// StartupBudget is the shortest that is injected; zero means
	// mutate.DefaultStartupBudget.
	StartupBudget time.Duration
	// Exemptions are the configuration's; nil means validate.DefaultExemptions.
	Exemptions *validate.Exemptions
}

// Handler answers admission reviews.
type Handler struct {
	Options

	ruling  atomic.Pointer[ruling]
	buffers sync.Pool
	load    *load
	refused complaints.Log
}

// ruling is a Ruling made ready. It does not change, and one review is judged
// by one from start to end.
type ruling struct {
	Ruling
	// policies has each profile for each injection: both are small sets.
	policies map[policyKey]*validate.Policy
}

type policyKey struct {
	profile   validate.Profile
	injection validate.Injection
}

// New returns a handler that judges by r.
func New(r Ruling, o Options) *Handler {
	h := &Handler{Options: o, load: newLoad()}
	h.Metrics.watch(h.load)
	if h.Now == nil {
		h.Now = time.Now
	}
	h.Use(r)
	h.buffers.New = func() any { return new([]byte) }
	return h
}

// Use makes the handler judge by r from the next review on. It may be called
// while reviews are answered.
func (h *Handler) Use(r Ruling) {
	if r.Exemptions == nil {
		r.Exemptions = validate.DefaultExemptions()
	}
	ready := &ruling{Ruling: r, policies: map[policyKey]*validate.Policy{}}
	for profile, p := range r.Policies {
		for _, startup := range []bool{false, true} {
			for _, budget := range []bool{false, true} {
				i := validate.Injection{Startup: startup, Budget: budget}
				ready.policies[policyKey{profile, i}] = p.WithInjection(i).AtAdmission()
			}
		}
	}
	h.ruling.Store(ready)
}

// policy returns the one for what holds in a namespace.
func (r *ruling) policy(s validate.Settings) *validate.Policy {
	return r.policies[policyKey{s.Profile, s.Injection}]
}

// Validate returns the handler of /validate.
func (h *Handler) Validate() http.Handler { return h.endpoint("validate", h.validate) }

// Mutate returns the handler of /mutate.
func (h *Handler) Mutate() http.Handler { return h.endpoint("mutate", h.mutate) }

// judge answers a decoded review. An error becomes status 500, and the webhook's
// failure direction applies.
type judge func(ctx context.Context, req *request) (*response, decision, error)

func (h *Handler) endpoint(hook string, judge judge) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		d := decision{outcome: outcomeError}
		defer func() {
			if p := recover(); p != nil {
				h.Metrics.panics.WithLabelValues(hook).Inc()
				h.Log.Error(fmt.Errorf("panic: %v", p), "review failed", "webhook", hook, "stack", string(debug.Stack()))
				http.Error(w, "internal error of Probity; its log has the details", http.StatusInternalServerError)
				d.outcome = outcomeError
			}
			h.Metrics.observe(hook, d, start)
		}()
		d = h.review(w, r, hook, judge, start)
	})
}

// review answers one review, if there is room for it.
func (h *Handler) review(w http.ResponseWriter, r *http.Request, hook string, judge judge, start time.Time) decision {
	d := decision{outcome: outcomeError}
	if o := h.load.enter(); o != nil {
		h.refuse(w, hook, unserved(o))
		return d
	}
	defer h.load.leave()
	buf := h.buffers.Get().(*[]byte)
	defer func() {
		if cap(*buf) <= maxPooled {
			h.buffers.Put(buf)
		}
	}()
	held := account{load: h.load}
	defer held.release()
	if held.hold(cap(*buf)) != nil {
		*buf = nil // a smaller one may do
	}
	body, problem := readBody(w, r, (*buf)[:0], &held)
	*buf = body
	if problem != nil {
		h.refuse(w, hook, problem)
		return d
	}
	ctx := newWaiting(r, start)
	defer ctx.end()
	core, err := h.load.take(ctx)
	if err != nil {
		h.refuse(w, hook, unserved(err))
		return d
	}
	defer core.give()
	req, err := decodeReview(body, h.ruling.Load())
	if err != nil {
		h.refuse(w, hook, &httpError{http.StatusBadRequest, err})
		return d
	}
	resp, d, err := judge(ctx, req)
	d.operation, d.kind = operationLabel(req.Operation), kindLabel(req)
	if err != nil {
		d.outcome = outcomeError
		h.refuse(w, hook, &httpError{http.StatusInternalServerError, withUID(req.UID, err)})
		return d
	}
	h.answer(w, hook, resp)
	return d
}

// answer writes the response; what it holds was made here, so that marshalling
// fails only by a fault of ours.
func (h *Handler) answer(w http.ResponseWriter, hook string, resp *response) {
	out, err := resp.append(make([]byte, 0, 160))
	if err != nil {
		h.refuse(w, hook, &httpError{http.StatusInternalServerError, withUID(resp.UID, err)})
		return
	}
	w.Header()["Content-Type"] = jsonContent
	if _, err := w.Write(out); err != nil {
		h.Log.V(1).Info("caller went away before the answer", "webhook", hook, "uid", resp.UID, "error", err.Error())
	}
}

var jsonContent = []string{"application/json"}

// httpError is a problem with the request itself.
type httpError struct {
	code int
	err  error
}

func (h *Handler) refuse(w http.ResponseWriter, hook string, e *httpError) {
	var o *overload
	if errors.As(e.err, &o) {
		h.Metrics.rejected.WithLabelValues(hook, o.reason).Inc()
		// No Retry-After: an API server would heed it, wait for that second, and find its
		// timeout over.
	}
	h.refused.Info(h.Log, time.Now(), "review not answered", e.err, "webhook", hook, "status", e.code)
	http.Error(w, escape.Text(e.err.Error()), e.code)
}

// readBody reads a review's bytes into buf and checks what can be told without
// decoding them.
func readBody(w http.ResponseWriter, r *http.Request, buf []byte, held *account) ([]byte, *httpError) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return buf, &httpError{http.StatusMethodNotAllowed, fmt.Errorf("method %s is not allowed: a review is sent with POST", r.Method)}
	}
	if !isJSON(r.Header.Get("Content-Type")) {
		return buf, &httpError{http.StatusUnsupportedMediaType, fmt.Errorf("content type %q is not supported: must be application/json", r.Header.Get("Content-Type"))}
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" {
		return buf, &httpError{http.StatusUnsupportedMediaType, fmt.Errorf("content encoding %q is not supported: must be absent", encoding)}
	}
	if r.ContentLength > maxBody {
		return buf, errTooLarge()
	}
	body := http.MaxBytesReader(w, r.Body, maxBody)
	for {
		if len(buf) == cap(buf) {
			var o *overload
			if buf, o = grown(buf, r.ContentLength, held); o != nil {
				return buf, unserved(o)
			}
		}
		n, err := body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == nil {
			continue
		}
		var tooLarge *http.MaxBytesError
		switch {
		case err == io.EOF && len(buf) == 0:
			return buf, &httpError{http.StatusBadRequest, errors.New("the body is empty: must be an AdmissionReview")}
		case err == io.EOF:
			return buf, nil
		case errors.As(err, &tooLarge):
			return buf, errTooLarge()
		case errors.Is(err, os.ErrDeadlineExceeded):
			return buf, &httpError{http.StatusRequestTimeout, errors.New("the body did not arrive in time")}
		default:
			return buf, &httpError{http.StatusBadRequest, fmt.Errorf("read the body: %w", err)}
		}
	}
}

func errTooLarge() *httpError {
	return &httpError{http.StatusRequestEntityTooLarge, fmt.Errorf("the body is over the limit of %d bytes", maxBody)}
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && strings.EqualFold(media, "application/json")
}

func operationLabel(operation string) string {
	switch operation {
	case "CREATE", "UPDATE", "DELETE", "CONNECT":
		return operation
	default:
		return "other"
	}
}

// kindLabel keeps the metrics' label to the kinds that are configured.
func kindLabel(req *request) string {
	if req.ruling.Kinds.Judged(req.Kind.apiVersion(), req.Kind.Kind) {
		return req.Kind.Kind
	}
	return "other"
}
