package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// BenchmarkCheck judges 1000 Deployments of three containers in one file of
// 7.5 MB, and beside it splits that file and converts it with sigs.k8s.io/yaml,
// which is what reading alone takes elsewhere. cpu-ms/op is the time on all cores.
func BenchmarkCheck(b *testing.B) {
	file := filepath.Join(b.TempDir(), "deployments.yaml")
	text := deployments(1000)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("probity check", func(b *testing.B) {
		p := program{name: "probity", stdout: stream{io.Discard, 0}, stderr: stream{io.Discard, 0}, getenv: func(string) string { return "" }}
		measure(b, len(text), func() error {
			if status := p.run([]string{"check", file}); status != exitClean {
				return exitStatus(status)
			}
			return nil
		})
	})
	b.Run("sigs.k8s.io yaml alone", func(b *testing.B) {
		measure(b, len(text), func() error {
			for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
				if _, err := yaml.YAMLToJSON(document); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func measure(b *testing.B, size int, do func() error) {
	b.SetBytes(int64(size))
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		if err := do(); err != nil {
			b.Fatal(err)
		}
	}
	spent := cpuTime(b) - before
	b.ReportMetric(float64(spent)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
}

// cpuTime is what this process has used of all cores.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func deployments(n int) []byte {
	var all bytes.Buffer
	for i := range n {
		fmt.Fprintf(&all, "---\n%s", strings.ReplaceAll(benchHead, "NAME", fmt.Sprintf("app-%d", i)))
		for c := range 3 {
			fmt.Fprintf(&all, "      - name: c%d\n        image: registry.example/app:%d\n        env:\n", c, i)
			for e := range 17 {
				fmt.Fprintf(&all, "        - name: SETTING_NUMBER_%d\n          value: \"some value of the setting %d\"\n", e, e)
			}
			all.WriteString(benchContainer)
		}
	}
	return all.Bytes()
}

const benchHead = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: NAME
  namespace: shop
  labels:
    app.kubernetes.io/name: NAME
spec:
  replicas: 3
  selector:
    matchLabels:
      app.kubernetes.io/name: NAME
  template:
    metadata:
      labels:
        app.kubernetes.io/name: NAME
    spec:
      containers:
`

const benchContainer = `        ports:
        - name: http
          containerPort: 8080
          protocol: TCP
        resources:
          requests:
            cpu: 100m
            memory: 128Mi
          limits:
            memory: 256Mi
        livenessProbe:
          httpGet:
            path: /livez
            port: http
          periodSeconds: 10
          timeoutSeconds: 2
        readinessProbe:
          exec:
            command:
            - sh
            - -c
            - |
              test -f /tmp/ready &&
              test -S /run/app.sock
          periodSeconds: 10
        startupProbe:
          httpGet:
            path: /livez
            port: http
          periodSeconds: 10
          failureThreshold: 30
        securityContext:
          runAsNonRoot: true
          readOnlyRootFilesystem: true
          capabilities:
            drop: [ALL]
        volumeMounts:
        - name: data
          mountPath: /var/lib/app
`
