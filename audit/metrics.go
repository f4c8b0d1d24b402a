package audit

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/probity-dev/probity/validate"
)

// Metrics of the audit. The gauges are about the last scan of each namespace, and
// absent where no scan has ended: on replicas that do not lead.
type Metrics struct {
	writes  *prometheus.CounterVec
	errors  *prometheus.CounterVec
	objects *prometheus.Desc
	// findings, reports: as objects, by namespace first.
	findings *prometheus.Desc
	reports  *prometheus.Desc
	lastRun  *prometheus.Desc
	duration *prometheus.Desc

	mu sync.Mutex
	// tallies are those of the namespaces that are judged.
	tallies map[string]tally
	// ended is when the last scan of everything ended; zero before.
	ended time.Time
	took  time.Duration
}

// tally is what the last scan of a namespace came to.
type tally struct {
	mode     validate.Mode
	objects  int
	findings map[findingKey]int
	reports  int
}

// findingKey has few values: rules are known, and actions and modes are three.
type findingKey struct {
	rule   string
	action string
}

// Where an audit can fail.
const (
	errorList   = "list"
	errorJudge  = "judge"
	errorReport = "report"
)

// NewMetrics registers the metrics of the audit.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		tallies: map[string]tally{},
		writes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "probity_audit_report_writes_total",
			Help: "Reports written by the audit, by change: create, update or delete. It stands still while nothing changes.",
		}, []string{"change"}),
		errors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "probity_audit_errors_total",
			Help: "What the audit could not do, by stage: list (a kind in a namespace), judge (an object) or report (a namespace).",
		}, []string{"stage"}),
		objects: prometheus.NewDesc("probity_audit_objects",
			"Workloads and budgets that the last audit judged, by mode of the namespace.", []string{"mode"}, nil),
		findings: prometheus.NewDesc("probity_audit_findings",
			"Findings of the last audit, by rule, action (deny, warn, or exempt for what an exemption covers) and mode of the namespace.", []string{"rule", "action", "mode"}, nil),
		reports: prometheus.NewDesc("probity_audit_reports",
			"Reports that the audit keeps in the cluster.", nil, nil),
		lastRun: prometheus.NewDesc("probity_audit_last_run_timestamp_seconds",
			"Unix time at which the last audit of all namespaces ended.", nil, nil),
		duration: prometheus.NewDesc("probity_audit_last_run_duration_seconds",
			"How long the last audit of all namespaces took.", nil, nil),
	}
	for _, stage := range []string{errorList, errorJudge, errorReport} {
		m.errors.WithLabelValues(stage) // there from the start, so that a rate can be seen
	}
	for _, change := range []string{"create", "update", "delete"} {
		m.writes.WithLabelValues(change)
	}
	r.MustRegister(m)
	return m
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(descs chan<- *prometheus.Desc) {
	m.writes.Describe(descs)
	m.errors.Describe(descs)
	for _, d := range []*prometheus.Desc{m.objects, m.findings, m.reports, m.lastRun, m.duration} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(metrics chan<- prometheus.Metric) {
	m.writes.Collect(metrics)
	m.errors.Collect(metrics)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended.IsZero() {
		return
	}
	objects := map[string]int{"enforce": 0, "warn": 0, "audit": 0}
	findings := map[[3]string]int{}
	reports := 0
	for _, t := range m.tallies {
		mode := t.mode.String()
		objects[mode] += t.objects
		reports += t.reports
		for key, n := range t.findings {
			findings[[3]string{key.rule, key.action, mode}] += n
		}
	}
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	for mode, n := range objects {
		gauge(m.objects, float64(n), mode)
	}
	for labels, n := range findings {
		gauge(m.findings, float64(n), labels[:]...)
	}
	gauge(m.reports, float64(reports))
	gauge(m.lastRun, float64(m.ended.UnixMilli())/1000)
	gauge(m.duration, m.took.Seconds())
}

// namespace notes what came of a namespace.
func (m *Metrics) namespace(name string, p *Pass, reports int) {
	t := tally{mode: p.mode, objects: p.Objects, reports: reports, findings: map[findingKey]int{}}
	for _, f := range p.Faulty {
		for i := range f.Findings {
			t.findings[findingKey{f.Findings[i].Rule, actionLabel(&f.Findings[i])}]++
		}
		for key, n := range f.more {
			t.findings[key] += n
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tallies[name] = t
}

// exemptLabel is the action of what an exemption covers.
const exemptLabel = "exempt"

func actionLabel(f *validate.Finding) string {
	if f.Exempted {
		return exemptLabel
	}
	return f.Action.String()
}

// keep forgets the namespaces that are not judged any more.
func (m *Metrics) keep(judged func(namespace string) bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for name := range m.tallies {
		if !judged(name) {
			delete(m.tallies, name)
		}
	}
}

// ran notes the end of a scan of everything.
func (m *Metrics) ran(start, end time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended, m.took = end, end.Sub(start)
}
