package main

import (
	"cmp"
	"context"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/probity-dev/probity/certs"
	"github.com/probity-dev/probity/webhook"
)

// serveStandalone serves everything on one address and asks no cluster.
func (o *serveOptions) serveStandalone(ctx context.Context, log logr.Logger, host string, configuration *following) error {
	certificate, err := certs.SelfSigned(time.Now(), cmp.Or(host, "127.0.0.1"), "localhost")
	if err != nil {
		return err
	}
	if o.certDir != "" {
		if err := certificate.Write(o.certDir); err != nil {
			return err
		}
	}
	server, clients, err := o.edge(log, certificate.TLS)
	if err != nil {
		return err
	}
	mux := server.WebhookMux()
	mux.Handle("/", healthHandler(func() error { return nil }, log.WithName("readiness")))
	mux.Handle("GET /metrics", metricsHandler())

	settings := configuration.settings()
	namespaces := everywhere{}
	namespaces.set(settings)
	configuration.tell(func() { namespaces.set(configuration.settings()) })
	h := configuration.handler(webhook.Options{Namespaces: &namespaces, Metrics: webhook.NewMetrics(metrics.Registry)})
	configuration.start(metrics.Registry)
	if configuration.watcher != nil {
		go func() { _ = configuration.watcher.Start(ctx) }() // ends with ctx, and never fails
	}
	if clients != nil {
		go func() { _ = clients.Start(ctx) }() // ends with ctx, and never fails
	}
	server.Register("/validate", h.Validate())
	server.Register("/mutate", h.Mutate())
	log.Info("serving without a cluster", "version", buildVersion().Version, "addr", o.addr, "mode", settings.Mode.String(), "profile", settings.Profile.String())
	return server.Start(ctx)
}
