package main

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"

	"github.com/probity-dev/probity/certs"
	"github.com/probity-dev/probity/edge"
	"github.com/probity-dev/probity/webhook"
)

// readiness is of this process only: its copy of the namespaces, its certificate,
// whether it listens, and whether it is about to leave.
type readiness struct {
	draining    *atomic.Bool
	namespaces  *webhook.LabelledNamespaces
	certificate *certs.Manager
	server      *edge.Server
}

// problem returns why it is not ready; nil when it is.
func (r readiness) problem() error {
	switch {
	case r.draining.Load():
		return errors.New("shutting down")
	case !r.namespaces.Synced():
		return errors.New("namespaces are not read yet: no API server answers, or it does not permit it")
	default:
		return errors.Join(r.certificate.Ready(), r.server.StartedChecker()(nil))
	}
}

// healthHandler answers /livez, which asks nothing but an answer, and /readyz, which
// asks for a problem.
func healthHandler(problem func() error, log logr.Logger) http.Handler {
	told := &reasons{log: log}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		err := problem()
		told.changed(err)
		if err != nil {
			http.Error(w, "not ready, see the log", http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	})
	return mux
}

// reasons logs why a replica is not ready, when that changes. Neither the answer of
// /readyz, which anybody may ask for, nor the events of the Pod say it.
type reasons struct {
	log logr.Logger
	mu  sync.Mutex
	// last is the reason that was told last; "" when it was ready, or never asked.
	last string
}

func (r *reasons) changed(problem error) {
	reason := ""
	if problem != nil {
		reason = problem.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch reason {
	case r.last:
	case "":
		r.log.Info("ready")
	default:
		r.log.Info("not ready", "reason", reason)
	}
	r.last = reason
}
