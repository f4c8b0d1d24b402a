package webhook

import "github.com/prometheus/client_golang/prometheus"

// budgetMetrics count what admission could not say of disruption budgets.
type budgetMetrics struct {
	budgetsUnjudged *prometheus.CounterVec
}

func newBudgetMetrics(r prometheus.Registerer) budgetMetrics {
	m := budgetMetrics{budgetsUnjudged: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "probity_admission_budgets_unjudged_total",
		Help: "Reviews that went through without rules about disruption budgets, by reason: not_synced, the cluster's objects were not read yet; " +
			"not_confirmed, a refusal became a warning as they could not be read again.",
	}, []string{"reason"})}
	m.budgetsUnjudged.WithLabelValues(unsynced) // there from the start, so that a rate can be seen
	m.budgetsUnjudged.WithLabelValues(unconfirmed)
	r.MustRegister(m.budgetsUnjudged)
	return m
}
