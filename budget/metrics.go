package budget

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/probity-dev/probity/validate"
)

// Metrics count what the controller does, on the replica that leads.
type Metrics struct {
	made, kept prometheus.Counter
	withdrawn  *prometheus.CounterVec
	failed     *prometheus.CounterVec
	workloads  *prometheus.GaugeVec
}

// Operations that can fail, for a label of probity_budget_failures_total.
const (
	operationMake     = "make"
	operationKeep     = "keep"
	operationWithdraw = "withdraw"
)

// NewMetrics registers the metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		made: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "probity_budget_made_total", Help: "PodDisruptionBudgets that were made.",
		}),
		kept: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "probity_budget_kept_total", Help: "PodDisruptionBudgets of Probity that were put back as they should be, after a change by somebody else or of the configuration.",
		}),
		withdrawn: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "probity_budget_withdrawn_total", Help: "PodDisruptionBudgets that were taken away again, by what their workload has since.",
		}, []string{"reason"}),
		failed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "probity_budget_failures_total", Help: "Writes of PodDisruptionBudgets that failed, by what was to be done. They are tried again.",
		}, []string{"write"}),
		workloads: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "probity_budget_workloads", Help: "Workloads in namespaces that are not off, by what they have for a PodDisruptionBudget; 0 on replicas that do not lead.",
		}, []string{"standing"}),
	}
	for _, s := range standings() {
		if s != Ignored {
			m.workloads.WithLabelValues(string(s))
		}
		if s != Made && s != Unclear {
			m.withdrawn.WithLabelValues(string(s))
		}
	}
	for _, operation := range []string{operationMake, operationKeep, operationWithdraw} {
		m.failed.WithLabelValues(operation)
	}
	registry.MustRegister(m.made, m.kept, m.withdrawn, m.failed, m.workloads)
	return m
}

// statuses remember what was last said of each workload.
type statuses struct {
	metrics *Metrics
	mu      sync.Mutex
	of      map[validate.Identity]said
}

// said is as much of a Status as makes people be told anew.
type said struct {
	standing Standing
	detail   string
}

// set notes a status and reports whether it says something new; a workload that is no
// matter is forgotten.
func (s *statuses) set(id validate.Identity, status *Status) (news bool) {
	now := said{status.Standing, status.Detail}
	s.mu.Lock()
	defer s.mu.Unlock()
	before, known := s.of[id]
	if known {
		s.metrics.workloads.WithLabelValues(string(before.standing)).Dec()
	}
	if now.standing == Ignored {
		delete(s.of, id)
		return before != now
	}
	s.metrics.workloads.WithLabelValues(string(now.standing)).Inc()
	s.of[id] = now
	return before != now
}
