package workload

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnknownFieldsOfProbesAreNamed(t *testing.T) {
	tests := []struct {
		name, container string
		want            []string
	}{
		{"all fields there are", "livenessProbe: {httpGet: {path: /, port: 1, host: h, scheme: HTTP, httpHeaders: [{name: a, value: b}]}, initialDelaySeconds: 1, timeoutSeconds: 1, periodSeconds: 2, successThreshold: 1, failureThreshold: 1, terminationGracePeriodSeconds: 1}", nil},
		{"all handlers there are", "livenessProbe: {exec: {command: [a]}}, readinessProbe: {grpc: {port: 1, service: a}}, startupProbe: {tcpSocket: {port: 1, host: h}}", nil},
		{"a letter less", "livenessProbe: {tcpSocket: {port: 80}, periodSecond: 5}", []string{
			"judged a.yaml:1: Pod p: spec.containers[0].livenessProbe.periodSecond is not a field of a probe and has no effect; is periodSeconds meant?",
		}},
		{"two letters swapped, in other case", "readinessProbe: {tcpSocket: {port: 80}, failuretHreshold: 5}", []string{
			"judged a.yaml:1: Pod p: spec.containers[0].readinessProbe.failuretHreshold is not a field of a probe and has no effect; is failureThreshold meant?",
		}},
		{"a name that is like none, as of a later API", "startupProbe: {httpGet: {port: 80, protocol: HTTP2}, interval: {a: [1]}}", nil},
		{"a name cut short", "startupProbe: {tcpSocket: {port: 80}, timeout: 5}", []string{
			"judged a.yaml:1: Pod p: spec.containers[0].startupProbe.timeout is not a field of a probe and has no effect; is timeoutSeconds meant?",
		}},
		{"a line that is indented too far", "startupProbe: {httpGet: {port: 80, periodSeconds: 5}}", []string{
			"judged a.yaml:1: Pod p: spec.containers[0].startupProbe.httpGet.periodSeconds is not a field of httpGet and has no effect; it is a field of a probe",
		}},
		{"a field of another handler", "livenessProbe: {tcpSocket: {port: 80, path: /livez}}", []string{
			"judged a.yaml:1: Pod p: spec.containers[0].livenessProbe.tcpSocket.path is not a field of tcpSocket and has no effect; it is a field of httpGet",
		}},
		{"a handler in other case", "livenessProbe: {tcpSocket: {port: 80}, httpget: {}}", []string{
			"judged a.yaml:1: Pod p: spec.containers[0].livenessProbe.httpget is not a field of a probe and has no effect; is httpGet meant?",
		}},
		{"a name that needs quotes", "livenessProbe: {tcpSocket: {port: 80}, \"period.Seconds\": 5}", []string{
			"judged a.yaml:1: Pod p: spec.containers[0].livenessProbe[\"period.Seconds\"] is not a field of a probe and has no effect; is periodSeconds meant?",
		}},
		{"a probe that is nearly named so", "livenessprobe: {tcpSocket: {port: 80}}, readynessProbe: {tcpSocket: {port: 80}}", []string{
			"judged a.yaml:1: Pod p: spec.containers[0].livenessprobe is not a field of a container and has no effect; is livenessProbe meant?",
			"judged a.yaml:1: Pod p: spec.containers[0].readynessProbe is not a field of a container and has no effect; is readinessProbe meant?",
		}},
		{"what only talks of probes", "env: [{name: a, value: '\"livenesProbe\": {\"x\": 1}'}, {name: livenesProbe, value: livenesProbe}]", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: app, " + tt.container + "}]}}"
			var got []string
			for _, line := range read("a.yaml", text)[1:] {
				got = append(got, strings.TrimSpace(line))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
