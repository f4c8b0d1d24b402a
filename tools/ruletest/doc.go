// Package ruletest holds no code: its tests hold the alert rules and the dashboard to
// Prometheus's own parser and engine. It is a module of its own, so that no other
// one depends on Prometheus.
package ruletest
