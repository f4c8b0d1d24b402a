package edge

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	"github.com/probity-dev/probity/complaints"
)

// shutdownTimeout is how long reviews in flight may take when the process ends:
// longer than any API server waits by default, shorter than the Pod's grace period.
const shutdownTimeout = 15 * time.Second

// Options of a Server.
type Options struct {
	// Addr is where it listens: HOST:PORT or :PORT.
	Addr string
	// TLS sets up the certificate.
	TLS func(*tls.Config)
	// Clients, unless nil, may post reviews; with nil everybody may.
	Clients *Clients
	Metrics prometheus.Registerer
	Log     logr.Logger
}

// Server serves what it is given over HTTPS, HTTP/2 wherever the client has it. It
// is a webhook.Server of controller-runtime.
type Server struct {
	options Options
	mux     *http.ServeMux
	server  *http.Server
	refused *prometheus.CounterVec
	// told bounds the lines about clients that were refused.
	told complaints.Log
	// listening is the address once it listens.
	listening atomic.Pointer[net.TCPAddr]
	leaving   atomic.Bool
}

// New returns a server, which Start starts.
func New(o Options) *Server {
	s := &Server{options: o, mux: http.NewServeMux(), server: limited(), refused: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "probity_http_refused_total",
		Help: "What the server of the webhooks refused before it was read, by reason: certificate (a review without an acceptable client certificate, see --client-ca) or connections (there were too many, and an idle one or the new one was closed).",
	}, []string{"reason"})}
	for _, reason := range []string{"certificate", "connections"} {
		s.refused.WithLabelValues(reason) // there from the start, so that the first one can be seen
	}
	o.Metrics.MustRegister(s.refused)
	all := newConnections(maxConnections, func() { s.refused.WithLabelValues("connections").Inc() })
	s.server.Handler, s.server.ConnState = s.parting(s.mux), all.changed
	// What clients do wrong in TLS and HTTP is of interest to who looks for it; in
	// the log of every day it would be theirs to fill.
	s.server.ErrorLog = stdlog.New(httpLog{o.Log}, "", 0)
	return s
}

// Register serves a webhook at a path, to those who may post reviews.
func (s *Server) Register(path string, hook http.Handler) {
	if s.options.Clients != nil {
		hook = s.options.Clients.require(hook, func(r *http.Request, why error) {
			s.refused.WithLabelValues("certificate").Inc()
			// It may be an API server, whose writes then go the way of the failurePolicy.
			s.told.Info(s.options.Log, time.Now(), "client refused", why, "path", path, "from", r.RemoteAddr)
		})
	}
	s.mux.Handle(path, hook)
}

// WebhookMux is for what everybody may ask.
func (s *Server) WebhookMux() *http.ServeMux { return s.mux }

// NeedLeaderElection is false: every replica is called.
func (s *Server) NeedLeaderElection() bool { return false }

// Addr is where the server listens; nil until it does.
func (s *Server) Addr() *net.TCPAddr { return s.listening.Load() }

// Leave has clients take their requests elsewhere: each answer from now on is the last
// one of its connection. Call it some seconds before the server ends. Over HTTP/1, which
// an API server speaks to a Service, a connection that is closed while it seems idle may
// just have been chosen for a request, and a POST is not sent again: that call fails.
func (s *Server) Leave() { s.leaving.Store(true) }

func (s *Server) parting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.leaving.Load() {
			w.Header().Set("Connection", "close") // HTTP/2 says GOAWAY in its place
		}
		next.ServeHTTP(w, r)
	})
}

// Start serves until ctx ends and what is in flight then is answered.
func (s *Server) Start(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.options.Addr)
	if err != nil {
		return fmt.Errorf("serve webhooks: %w", err)
	}
	s.secure()
	// A review in flight outlives ctx: Shutdown waits for its answer.
	base := context.WithoutCancel(ctx)
	s.server.BaseContext = func(net.Listener) context.Context { return base }
	stopped := make(chan error, 1)
	defer context.AfterFunc(ctx, func() {
		ctx, cancel := context.WithTimeout(base, shutdownTimeout)
		defer cancel()
		stopped <- s.server.Shutdown(ctx)
	})()
	if address, ok := listener.Addr().(*net.TCPAddr); ok {
		s.listening.Store(address)
	}
	if err := s.server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve webhooks: %w", err)
	}
	if err := <-stopped; err != nil {
		return fmt.Errorf("end the webhook server: %w", err)
	}
	return nil
}

func (s *Server) secure() {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	s.options.TLS(c)
	if s.options.Clients != nil {
		c.ClientAuth = tls.RequestClientCert // what is presented is checked by request
		// A resumed session would bring a certificate of the day before.
		c.SessionTicketsDisabled = true
		s.server.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
			return context.WithValue(ctx, verdictKey{}, new(verdict))
		}
	}
	s.server.TLSConfig = c
}

// StartedChecker reports whether the server listens.
func (s *Server) StartedChecker() healthz.Checker {
	return func(*http.Request) error {
		if s.Addr() == nil {
			return errors.New("the webhook server does not listen yet")
		}
		return nil
	}
}

// httpLog writes the lines of net/http into the log.
type httpLog struct{ log logr.Logger }

func (l httpLog) Write(line []byte) (int, error) {
	text := strings.TrimSpace(string(line))
	if strings.Contains(text, "panic serving") { // a fault of ours, whatever the client did
		l.log.Error(errors.New(text), "request failed")
	} else {
		l.log.V(1).Info("connection failed", "reason", text)
	}
	return len(line), nil
}
