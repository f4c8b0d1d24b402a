package webhook

import "github.com/prometheus/client_golang/prometheus"

// exemptionMetrics tell what exemptions do at admission.
type exemptionMetrics struct {
	used, expired, exempt *prometheus.CounterVec
}

func newExemptionMetrics(r prometheus.Registerer) exemptionMetrics {
	m := exemptionMetrics{
		used: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "probity_admission_exempted_findings_total",
			Help: "Findings that an exemption covered at admission, dry runs left out, by rule and source of the exemption (annotation, configuration).",
		}, []string{"rule", "source"}),
		expired: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "probity_admission_expired_exemptions_total",
			Help: "Exemptions past their last day that met a finding at admission, dry runs left out, by rule and source of the exemption (annotation, configuration).",
		}, []string{"rule", "source"}),
		exempt: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "probity_admission_exempt_requests_total",
			Help: "Requests that were neither judged nor given anything, by what the configuration exempts (namespace, runtimeClass, user, group).",
		}, []string{"by"}),
	}
	r.MustRegister(m.used, m.expired, m.exempt)
	return m
}
