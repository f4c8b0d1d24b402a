package main

import (
	"fmt"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/probity-dev/probity/audit"
)

// auditCluster makes the leader judge what the cluster already runs, unless the
// flags say not to.
func (o *serveOptions) auditCluster(mgr manager.Manager, log logr.Logger, configuration *following) error {
	if o.auditInterval == 0 {
		return nil
	}
	if o.auditInterval < 0 {
		return usageError{fmt.Errorf("--audit-interval is %s: must be a duration such as 1h, or 0 for no audit", o.auditInterval)}
	}
	scanner, err := audit.NewScanner(audit.Options{
		Config: mgr.GetConfig(), Cache: mgr.GetCache(), Ruling: configuration.auditRuling(), Interval: o.auditInterval,
		Namespace: o.namespace, Metrics: audit.NewMetrics(metrics.Registry), Log: log.WithName("audit"),
	})
	if err != nil {
		return err
	}
	configuration.tell(func() { scanner.Use(configuration.auditRuling()) })
	if err := mgr.Add(scanner); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// auditRuling is what existing objects are judged by: the same as new ones.
func (f *following) auditRuling() audit.Ruling {
	return audit.Ruling{Kinds: f.current.Kinds(), Policies: f.current.Policies(), Exemptions: &f.current.Exemptions, Defaults: f.settings()}
}
