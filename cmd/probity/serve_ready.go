package main

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/probity-dev/probity/certs"
	"github.com/probity-dev/probity/webhook"
)

// addChecks makes readiness tell of this process only: whether it listens, its
// certificate, its copy of the namespaces, and whether it is about to leave. Liveness
// asks nothing but an answer.
func addChecks(mgr manager.Manager, certificate *certs.Manager, namespaces *webhook.LabelledNamespaces, draining *atomic.Bool, log logr.Logger) error {
	alive := func(*http.Request) error { return nil }
	told := readiness{log: log.WithName("readiness")}
	ready := func(*http.Request) error {
		switch {
		case draining.Load():
			return errors.New("shutting down")
		case !namespaces.Synced():
			return told.of(errors.New("namespaces are not read yet: no API server answers, or it does not permit it"))
		default:
			return told.of(certificate.Ready())
		}
	}
	return errors.Join(mgr.AddHealthzCheck("process", alive), mgr.AddReadyzCheck("webhook", ready),
		mgr.AddReadyzCheck("listening", mgr.GetWebhookServer().StartedChecker()))
}

// readiness logs why a replica is not ready, when that changes. Neither the answer of
// /readyz, which anybody may ask for, nor the events of the Pod say it.
type readiness struct {
	log logr.Logger
	mu  sync.Mutex
	// last is the reason that was told last; "" when it was ready, or never asked.
	last string
}

// of returns what it is given.
func (r *readiness) of(problem error) error {
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
	return problem
}
