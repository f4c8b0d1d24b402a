package workload

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"
)

// manifests is a file of 1000 Deployments of three containers, 7.5 MB.
func manifests() []byte {
	var b bytes.Buffer
	for i := range 1000 {
		fmt.Fprintf(&b, "---\n%s", manifest(i))
	}
	return b.Bytes()
}

func manifest(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-%[1]d
  namespace: shop
  labels:
    app.kubernetes.io/name: app-%[1]d
    app.kubernetes.io/part-of: shop
  annotations:
    description: "The app: number %[1]d"
spec:
  replicas: 3
  selector:
    matchLabels:
      app.kubernetes.io/name: app-%[1]d
  template:
    metadata:
      labels:
        app.kubernetes.io/name: app-%[1]d
    spec:
      containers:
`, i)
	for c := range 3 {
		fmt.Fprintf(&b, "      - name: c%d\n        image: registry.example/app:%d\n        command: [\"/app/server\", \"--port=8080\"]\n        env:\n", c, i)
		for e := range 18 {
			fmt.Fprintf(&b, "        - name: SETTING_NUMBER_%d\n          value: \"some value of the setting %d\"\n", e, e)
		}
		b.WriteString(manifestContainer)
	}
	return b.String()
}

const manifestContainer = `        - name: POD_IP
          valueFrom:
            fieldRef:
              fieldPath: status.podIP
        ports:
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
          periodSeconds: 5
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

// The file as `probity check` reads it, against splitting and converting it with
// sigs.k8s.io/yaml, both on all cores.
func BenchmarkReadManifests(b *testing.B) {
	file, kinds := manifests(), DefaultKinds()
	b.Run("probity", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			inParallel(chunks(file), func(c Chunk) {
				for _, d := range kinds.Read(c) {
					if d.Object == nil {
						b.Error(d.Errors)
					}
				}
			})
		}
	})
	b.Run("general parser", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			inParallel(chunks(file), func(c Chunk) {
				if _, err := readYAML(c.Data, c.Line); err != nil {
					b.Error(err)
				}
			})
		}
	})
	b.Run("sigs.k8s.io yaml", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			inParallel(chunks(file), func(c Chunk) {
				if _, err := yaml.YAMLToJSON(c.Data); err != nil {
					b.Error(err)
				}
			})
		}
	})
}

func chunks(file []byte) []Chunk {
	var all []Chunk
	for c := range Split("a.yaml", file) {
		all = append(all, c)
	}
	return all
}

func inParallel(all []Chunk, do func(Chunk)) {
	work := make(chan Chunk)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for c := range work {
				do(c)
			}
		})
	}
	for _, c := range all {
		work <- c
	}
	close(work)
	wait.Wait()
}
