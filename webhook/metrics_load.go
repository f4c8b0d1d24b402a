package webhook

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// loadMetrics tell of reviews that there was no room for.
type loadMetrics struct {
	rejected *prometheus.CounterVec
	// watched is the load of the handler.
	watched *atomic.Pointer[load]
}

func newLoadMetrics(r prometheus.Registerer) loadMetrics {
	m := loadMetrics{
		rejected: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "probity_admission_rejected_total",
			Help: "Reviews refused with status 503 for overload, by webhook and by what there was too much of: reviews in flight, bytes of their bodies, or wait for a core. The webhook's failurePolicy applied to them.",
		}, []string{"webhook", "reason"}),
		watched: new(atomic.Pointer[load]),
	}
	inFlight := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "probity_admission_in_flight",
		Help: "Reviews that are read, wait or are judged now; at 2048 more are refused.",
	}, func() float64 {
		if l := m.watched.Load(); l != nil {
			return float64(l.reviews.Load())
		}
		return 0
	})
	for _, hook := range []string{"validate", "mutate"} {
		for _, reason := range []string{tooMany, tooLarge, tooLate} {
			m.rejected.WithLabelValues(hook, reason) // there from the start, so that the first one can be seen
		}
	}
	r.MustRegister(m.rejected, inFlight)
	return m
}

func (m *loadMetrics) watch(l *load) { m.watched.Store(l) }
