package webhook

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/probity-dev/probity/validate"
)

// Metrics of the admission endpoints. No label is taken from what a user can
// choose freely.
type Metrics struct {
	decisions *prometheus.CounterVec
	findings  *prometheus.CounterVec
	duration  *prometheus.HistogramVec
	panics    *prometheus.CounterVec
	injected  prometheus.Counter
	loadMetrics
	exemptionMetrics
	budgetMetrics
}

// NewMetrics registers the metrics of the endpoints.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "probity_admission_decisions_total",
			Help: "Admission reviews answered, by webhook, operation, kind, mode of the namespace and decision (allow, warn, deny, audit, patch, exempt, error).",
		}, []string{"webhook", "operation", "kind", "mode", "decision"}),
		findings: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "probity_admission_findings_total",
			Help: "Findings in the objects of reviews, by rule, mode of the namespace and action: deny counts what enforce refuses and other modes would, not what an update merely leaves as it was.",
		}, []string{"rule", "mode", "action"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "probity_admission_duration_seconds",
			Help:    "Time that the handler took for a review, without network and TLS.",
			Buckets: []float64{.00005, .0001, .0002, .0005, .001, .002, .005, .01, .05, .25, 1, 2},
		}, []string{"webhook"}),
		panics: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "probity_admission_panics_total",
			Help: "Reviews that ended in a panic of Probity; the webhook's failurePolicy applied to them.",
		}, []string{"webhook"}),
		injected: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "probity_injected_startup_probes_total",
			Help: "Startup probes in the patches that were answered, dry runs left out.",
		}),
	}
	m.loadMetrics = newLoadMetrics(r)
	m.exemptionMetrics = newExemptionMetrics(r)
	m.budgetMetrics = newBudgetMetrics(r)
	for _, hook := range []string{"validate", "mutate"} {
		m.panics.WithLabelValues(hook) // there from the start, so that the first one can be seen
	}
	r.MustRegister(m.decisions, m.findings, m.duration, m.panics, m.injected)
	return m
}

// observe notes one answered review.
func (m *Metrics) observe(hook string, d decision, start time.Time) {
	if d.kind == "Namespace" {
		hook = "namespace" // it may look at thousands of workloads, and takes its time
	}
	m.duration.WithLabelValues(hook).Observe(time.Since(start).Seconds())
	m.decisions.WithLabelValues(hook, d.operation, d.kind, d.mode, d.outcome).Inc()
}

// found counts the findings of one review.
func (m *Metrics) found(findings []validate.Finding, mode validate.Mode) {
	for i := range findings {
		m.findings.WithLabelValues(findings[i].Rule, mode.String(), findings[i].Action.String()).Inc()
	}
}

// decision is what metrics and logs say of a review; each field has few values.
type decision struct{ operation, kind, mode, outcome string }

// Outcomes of a review.
const (
	outcomeAllow = "allow"
	outcomeWarn  = "warn"
	outcomeDeny  = "deny"
	outcomeAudit = "audit"
	outcomePatch = "patch"
	// outcomeExempt: allowed for an exemption, of the object or of every finding.
	outcomeExempt = "exempt"
	outcomeError  = "error"
)
