package suite

import "strconv"

// Probes of containers, in YAML flow style.
const (
	// AsksDatabase is a fault: what Probity refuses under enforcement.
	AsksDatabase = `livenessProbe: {httpGet: {path: /health/db, port: 8080}, timeoutSeconds: 2}`
	// AsksItself is none.
	AsksItself = `livenessProbe: {httpGet: {path: /livez, port: 8080}, timeoutSeconds: 2}`
)

// Image is that of every [Deployment]. No container runs, so nobody asks for it.
const Image = "registry.example/app:1"

// Deployment is one with a container, whose fields below its name and image are given
// in YAML flow style.
func Deployment(name string, replicas int, container string) string {
	return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ` + name + `
spec:
  replicas: ` + strconv.Itoa(replicas) + `
  selector: {matchLabels: {app: ` + name + `}}
  template:
    metadata: {labels: {app: ` + name + `}}
    spec:
      containers:
      - {name: app, image: "` + Image + `", ` + container + `}
`
}
