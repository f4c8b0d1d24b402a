package main

import (
	"context"
	"errors"
	"slices"

	"k8s.io/client-go/rest"

	"github.com/probity-dev/probity/audit"
	"github.com/probity-dev/probity/webhook"
	"github.com/probity-dev/probity/workload"
)

// preview looks at what a namespace holds when somebody labels it.
func preview(config *rest.Config, namespaces *webhook.LabelledNamespaces) (*webhook.Preview, error) {
	// Time counts here and the network is near: compressing some MiB takes longer than
	// sending them.
	config = rest.CopyConfig(config)
	config.DisableCompression = true
	lister, err := audit.NewLister(config)
	if err != nil {
		return nil, err
	}
	return webhook.NewPreview(existing{lister}, namespaces.WithLabels), nil
}

// existing reads what a namespace holds as the audit does.
type existing struct{ lister *audit.Lister }

// Workloads hands over workloads, those first that people write.
func (e existing) Workloads(ctx context.Context, l webhook.Look, each func(*workload.Workload)) error {
	resources, failed := e.lister.Resources(ctx, l.Kinds)
	query := audit.Query{Kinds: l.Kinds, Namespace: l.Namespace, Bound: l.AtMost}
	// Budgets and autoscalers are judged together with workloads only.
	query.Resources = slices.DeleteFunc(resources, func(r audit.Resource) bool {
		return slices.Contains([]string{"PodDisruptionBudget", "HorizontalPodAutoscaler", "ScaledObject"}, r.Kind)
	})
	listing, err := e.lister.List(ctx, query, func(i audit.Item) error {
		if i.Object != nil && i.Object.Workload != nil {
			each(i.Object.Workload)
		}
		return ctx.Err()
	})
	switch {
	case errors.Is(err, audit.ErrBound):
		return webhook.ErrMore
	case err != nil:
		return err
	}
	var problems []error
	for _, f := range slices.Concat(failed, listing.Errors) {
		problems = append(problems, f)
	}
	return errors.Join(problems...)
}
