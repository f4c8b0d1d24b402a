package enforcement

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/probity-dev/probity/e2e/suite"
)

// space is a namespace of one test.
type space struct{ *suite.Space }

// newSpace makes a namespace whose name begins so.
func newSpace(t *testing.T, prefix string) space {
	t.Helper()
	return space{suite.New(t, local.ControlPlane, prefix)}
}

// in is the same namespace for a subtest.
func (s space) in(t *testing.T) space { return space{s.In(t)} }

// enforce labels the namespace and waits until a faulty Deployment is refused.
func (s space) enforce() {
	s.T.Helper()
	s.Label("probity.dev/mode=enforce")
	s.Eventually("enforcement", func(context.Context) bool {
		_, _, err := s.Kubectl(deployment("probe-of-the-test", "", asksDatabase), "create", "--dry-run=server", "-f", "-")
		return err != nil
	})
}

// warned is kubectl that may not fail, and returns what Probity warns of.
func (s space) warned(stdin string, args ...string) (warnings string) {
	s.T.Helper()
	_, warnings = s.Must(stdin, args...)
	return warnings
}

// refused is kubectl that must be refused by Probity with all of these.
func (s space) refused(stdin string, args []string, says ...string) {
	s.T.Helper()
	_, stderr, err := s.Kubectl(stdin, args...)
	if err == nil || !strings.Contains(stderr, `"workloads.validate.probity.dev" denied the request`) {
		s.T.Errorf("kubectl %s is not refused: %v %s", strings.Join(args, " "), err, stderr)
		return
	}
	for _, text := range says {
		if !strings.Contains(stderr, text) {
			s.T.Errorf("kubectl %s: the refusal does not say %q:\n%s", strings.Join(args, " "), text, stderr)
		}
	}
}

var apply = []string{"apply", "-f", "-"}

// running returns the pods that run and are not about to go.
func (s space) running() map[string]corev1.Pod {
	s.T.Helper()
	pods, err := s.Client.CoreV1().Pods(s.Name).List(s.T.Context(), metav1.ListOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	running := map[string]corev1.Pod{}
	for _, p := range pods.Items {
		if p.DeletionTimestamp == nil && p.Status.Phase == corev1.PodRunning {
			running[p.Name] = p
		}
	}
	return running
}

// deployment is a Deployment with annotations and containers, each in YAML flow
// style.
func deployment(name, annotations string, containers ...string) string {
	text := `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ` + name + `
  annotations: {` + annotations + `}
spec:
  replicas: 2
  selector: {matchLabels: {app: ` + name + `}}
  template:
    metadata: {labels: {app: ` + name + `}}
    spec:
      containers:
`
	return text + listed(containers)
}

// listed writes containers as items of a list; those without a name are called app.
func listed(containers []string) string {
	text := ""
	for _, c := range containers {
		if !strings.HasPrefix(c, "name: ") {
			c = "name: app, " + c
		}
		text += `      - {image: "registry.example/app:1", ` + c + "}\n"
	}
	return text
}

const (
	asksDatabase = suite.AsksDatabase
	asksRedis    = `livenessProbe: {httpGet: {path: /health/redis, port: 8080}, timeoutSeconds: 2}`
	asksItself   = suite.AsksItself

	exempted = `probity.dev/exempt: liveness-dependency-path, probity.dev/exempt-reason: until the next release`

	rule    = "[liveness-dependency-path]"
	warning = "Warning: " + rule
)
