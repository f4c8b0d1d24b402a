// Package disruption compares what Probity makes of disruption budgets with what
// Kubernetes' own disruption controller makes of them. It holds tests only.
package disruption
