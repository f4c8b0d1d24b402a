// Package sample writes manifests for benchmarks, so that all of them measure the
// same input.
package sample

import (
	"bytes"
	"fmt"
	"strings"
)

// Deployments returns a file of n Deployments of three containers, 7.5 kB each.
// They break no rule of the baseline profile.
func Deployments(n int) []byte {
	var all bytes.Buffer
	for i := range n {
		fmt.Fprintf(&all, "---\n%s", strings.ReplaceAll(head, "NAME", fmt.Sprintf("app-%d", i)))
		for c := range 3 {
			fmt.Fprintf(&all, "      - name: c%d\n        image: registry.example/app:%d\n        env:\n", c, i)
			for e := range 17 {
				fmt.Fprintf(&all, "        - name: SETTING_NUMBER_%d\n          value: \"some value of the setting %d\"\n", e, e)
			}
			all.WriteString(container)
		}
	}
	return all.Bytes()
}

// Deployment returns the i-th of many small Deployments, as charts write them: one
// container, four labels on its pods.
func Deployment(i int) []byte {
	return []byte(strings.ReplaceAll(small, "NAME", fmt.Sprintf("app-%d", i)))
}

const head = `apiVersion: apps/v1
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

const container = `        ports:
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

const small = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: NAME
  namespace: shop
  annotations:
    deployment.kubernetes.io/revision: "3"
spec:
  replicas: 3
  selector:
    matchLabels:
      app.kubernetes.io/name: NAME
      app.kubernetes.io/instance: shop
  template:
    metadata:
      labels:
        app.kubernetes.io/name: NAME
        app.kubernetes.io/instance: shop
        app.kubernetes.io/managed-by: Helm
        helm.sh/chart: NAME-1.2.3
    spec:
      containers:
      - name: app
        image: registry.example/app:1
        ports:
        - name: http
          containerPort: 8080
        livenessProbe:
          httpGet:
            path: /livez
            port: http
          timeoutSeconds: 2
        readinessProbe:
          httpGet:
            path: /readyz
            port: http
          timeoutSeconds: 2
        startupProbe:
          httpGet:
            path: /livez
            port: http
          failureThreshold: 30
`
