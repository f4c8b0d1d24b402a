package main

import (
	"crypto/tls"
	"fmt"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/probity-dev/probity/edge"
)

// edge makes the server of the webhooks, and what checks its clients; nil, when
// everybody may call.
func (o *serveOptions) edge(log logr.Logger, secure func(*tls.Config)) (*edge.Server, *edge.Clients, error) {
	log = log.WithName("edge")
	options := edge.Options{Addr: o.addr, TLS: secure, Metrics: metrics.Registry, Log: log}
	if o.clientCA != "" {
		clients, err := edge.NewClients(o.clientCA, o.clientNames, log, metrics.Registry)
		if err != nil {
			return nil, nil, fmt.Errorf("--client-ca: %w", err)
		}
		options.Clients = clients
	}
	return edge.New(options), options.Clients, nil
}

// addClients keeps up with the file of --client-ca.
func addClients(mgr manager.Manager, clients *edge.Clients) error {
	if clients == nil {
		return nil
	}
	if err := mgr.Add(clients); err != nil {
		return fmt.Errorf("--client-ca: %w", err)
	}
	return nil
}
