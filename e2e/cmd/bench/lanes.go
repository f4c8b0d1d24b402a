package main

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
)

// lane is one of the namespaces that are compared.
type lane struct {
	name   string
	labels map[string]string
	// lacking is whether the Deployment lacks startup probes, which Probity injects.
	lacking bool
	// base is the lane that this one is compared with: the same Deployment, and nobody
	// asked. It is nil for these.
	base *lane
	// wantCalls is how many calls of Probity each create costs.
	wantCalls float64

	deployment *appsv1.Deployment
	measured
}

// measured is what the rounds of a lane gave.
type measured struct {
	latencies []time.Duration
	rates     []float64     // creates a second, by round
	calls     float64       // of Probity's webhooks
	cpu       time.Duration // of Probity's process
}

// policyLabel has the policy with CEL rules asked about a namespace.
const policyLabel = "bench.probity.dev/policy"

func newLanes() []*lane {
	alone := &lane{name: "no admission"}
	aloneLacking := &lane{name: "no admission, no startup probes", lacking: true}
	enforced := map[string]string{"probity.dev/mode": "enforce"}
	return []*lane{
		alone,
		{name: "policy with five CEL rules", base: alone, labels: map[string]string{policyLabel: "yes"}},
		{name: "Probity, nothing to inject", base: alone, labels: enforced, wantCalls: 1},
		aloneLacking,
		{name: "Probity, startup probes injected", base: aloneLacking, labels: enforced, lacking: true, wantCalls: 2},
	}
}

func (l *lane) namespace(i int) string { return "bench-" + string(rune('a'+i)) }
