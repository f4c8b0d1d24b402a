package main

import (
	"fmt"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/probity-dev/probity/events"
	"github.com/probity-dev/probity/webhook"
)

// recordEvents makes Kubernetes Events of findings, unless they are not wanted.
func (o *serveOptions) recordEvents(mgr manager.Manager, log logr.Logger) (webhook.Observer, error) {
	if !o.events {
		return nil, nil
	}
	client, err := kubernetes.NewForConfigAndClient(mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("write events: %w", err)
	}
	recorder := events.New(events.Options{
		Sink:    &typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events(corev1.NamespaceAll)},
		Metrics: metrics.Registry, Log: log.WithName("events"),
	})
	if err := mgr.Add(recorder); err != nil {
		return nil, fmt.Errorf("write events: %w", err)
	}
	return recorder, nil
}
