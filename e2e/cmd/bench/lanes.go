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
	// least is the lane in which the same webhooks are called and do nothing; nil for all
	// but Probity's.
	least *lane
	// wantCalls is how many calls of webhooks each create costs: of Probity's, or of
	// the bare ones.
	wantCalls float64
	bare      bool

	deployment *appsv1.Deployment
	measured
}

// measured is what the rounds of a lane gave.
type measured struct {
	latencies []time.Duration
	rates     []float64     // creates a second, by round
	calls     float64       // of webhooks
	cpu       time.Duration // of the process that answers them
}

// Labels of a namespace about which others than Probity are asked: the policy with CEL
// rules; the bare handlers, "validate" or "both".
const (
	policyLabel = "bench.probity.dev/policy"
	bareLabel   = "bench.probity.dev/bare"
)

func newLanes() []*lane {
	alone := &lane{name: "no admission"}
	aloneLacking := &lane{name: "no admission, no startup probes", lacking: true}
	enforced := map[string]string{"probity.dev/mode": "enforce"}
	bareOne := &lane{name: "bare handler", base: alone, labels: map[string]string{bareLabel: "validate"}, wantCalls: 1, bare: true}
	bareTwo := &lane{name: "bare handlers, the same injected", base: aloneLacking, labels: map[string]string{bareLabel: "both"}, lacking: true, wantCalls: 2, bare: true}
	return []*lane{
		alone,
		{name: "policy with five CEL rules", base: alone, labels: map[string]string{policyLabel: "yes"}},
		bareOne,
		{name: "Probity, nothing to inject", base: alone, least: bareOne, labels: enforced, wantCalls: 1},
		aloneLacking,
		bareTwo,
		{name: "Probity, startup probes injected", base: aloneLacking, least: bareTwo, labels: enforced, lacking: true, wantCalls: 2},
	}
}

func (l *lane) namespace(i int) string { return "bench-" + string(rune('a'+i)) }
