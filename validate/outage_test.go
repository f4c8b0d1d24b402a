package validate

import (
	"strings"
	"testing"

	"github.com/probity-dev/probity/workload"
)

// TestWhomAnOutageHits says in the words of each kind what a probe that asks another
// host does: only some have replicas, and not all start their containers again.
func TestWhomAnOutageHits(t *testing.T) {
	const (
		replicas = "so its outage restarts every replica"
		alone    = "so its outage kills the container"
		leaves   = "when it is away all of them leave the Service at once"
		unserved = "when it is away the pod leaves the Service"
		grows    = "what is added to it later restarts every replica when it fails"
		growsOne = "what is added to it later kills the container when it fails"
	)
	pod := func(liveness, readiness string) string {
		return "{containers: [{name: app, livenessProbe: {" + liveness + "}, readinessProbe: {" + readiness + "}}]}"
	}
	const (
		command  = "exec: {command: [pg_isready, -h, db]}"
		host     = "tcpSocket: {host: db, port: 5432}"
		metadata = "tcpSocket: {host: 169.254.169.254, port: 80}"
		generic  = "httpGet: {path: /health, port: 8080}"
		none     = "tcpSocket: {port: 8080}"
	)
	for _, tt := range []struct{ name, liveness, readiness, ofReplicas, ofPod string }{
		{"a command asks", command, none, replicas, alone},
		{"another host is dialled", host, none, replicas, alone},
		{"the metadata service is dialled", metadata, none, replicas, alone},
		{"the endpoint may grow", generic, none, grows, growsOne},
		{"readiness asks", none, command, leaves, unserved},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := pod(tt.liveness, tt.readiness)
			template := "{metadata: {labels: {app: web}}, spec: " + spec + "}"
			of := map[string]string{
				"Deployment": "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {matchLabels: {app: web}}, template: " + template + "}}",
				"Job":        "{apiVersion: batch/v1, kind: Job, metadata: {name: web}, spec: {template: " + template + "}}",
				"Pod":        "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: " + spec + "}",
			}
			for kind, manifest := range of {
				want := tt.ofPod
				if kind == "Deployment" || kind == "Job" && tt.ofPod == unserved {
					want = tt.ofReplicas // the pods of a Job may serve together
				}
				if told := strictly(t, manifest); !strings.Contains(told, want) {
					t.Errorf("of a %s is told %q; it should say %q", kind, told, want)
				}
			}
		})
	}
}

// strictly joins all that the strict profile says of the workloads of a manifest.
func strictly(t *testing.T, manifest string) string {
	t.Helper()
	var told strings.Builder
	for d := range workload.DefaultKinds().Documents(t.Name(), []byte(manifest)) {
		if len(d.Errors) > 0 {
			t.Fatal(d.Errors)
		}
		for _, f := range Evaluate(d.Object.Workload, MustPolicy(Strict)) {
			told.WriteString(f.String() + "\n")
		}
	}
	return told.String()
}
