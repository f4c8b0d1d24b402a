package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/probity-dev/probity/edge"
)

// nowhere is an address that nothing is served at.
const nowhere = "0"

// addServers serves health and metrics, in HTTP to everybody who reaches the ports.
func (o *serveOptions) addServers(mgr manager.Manager, ready readiness, log logr.Logger) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metricsHandler())
	health := healthHandler(ready.problem, log.WithName("readiness"))
	for _, s := range []struct {
		name, addr string
		handler    http.Handler
	}{
		{"health", o.healthAddr, health},
		{"metrics", o.metricsAddr, mux},
	} {
		if s.addr == nowhere {
			continue
		}
		patience := 5 * time.Second
		server := &manager.Server{Name: s.name, Server: edge.Plain(s.addr, s.handler, log.WithName(s.name)), ShutdownTimeout: &patience}
		if err := mgr.Add(server); err != nil {
			return fmt.Errorf("serve %s: %w", s.name, err)
		}
	}
	return nil
}

// metricsHandler shows the metrics to some at a time: each costs memory and CPU.
func metricsHandler() http.Handler {
	return promhttp.HandlerFor(metrics.Registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}
