package budgetadmission

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/probity-dev/probity/e2e/suite"
)

// strict are the labels of most namespaces here. Probity's own budgets stay out of
// the way.
var strict = []string{"probity.dev/mode=enforce", "probity.dev/profile=strict", "probity.dev/inject=none"}

// space is a namespace of one test.
type space struct{ *suite.Space }

// newSpace makes a namespace; labels are "probity.dev/mode=enforce" and so on.
func newSpace(t *testing.T, labels ...string) space {
	t.Helper()
	return space{suite.New(t, local.ControlPlane, "budgets", labels...)}
}

// apply is kubectl apply that may not fail, and returns its warnings.
func (s space) apply(manifests ...string) (warnings string) {
	s.T.Helper()
	_, warnings = s.Must(bundle(manifests...), "apply", "-f", "-")
	return warnings
}

// refused is kubectl apply that must fail, and returns what Probity says. What the
// manifest meets may have been made a moment ago: it asks until Probity has seen it.
func (s space) refused(manifest string) (message string) {
	s.T.Helper()
	s.Eventually("a refusal of "+manifest, func(context.Context) bool {
		_, _, err := s.Kubectl(manifest, "apply", "--dry-run=server", "-f", "-")
		return err != nil
	})
	_, stderr, err := s.Kubectl(manifest, "apply", "-f", "-")
	if err == nil {
		s.T.Fatal("a dry run was refused, the request itself was not")
	}
	_, message, ok := strings.Cut(strings.TrimSpace(stderr), "denied the request: ")
	if !ok {
		s.T.Fatalf("not refused by Probity: %s", stderr)
	}
	return message
}

// warned is kubectl apply that Probity lets through with a warning about the rule.
// As refused, it asks until Probity has seen what there is.
func (s space) warned(kubeconfig, manifest, rule string) (warning string) {
	s.T.Helper()
	apply := func(more ...string) (string, error) {
		_, stderr, err := s.KubectlAs(kubeconfig, manifest, append([]string{"apply", "-f", "-"}, more...)...)
		return stderr, err
	}
	s.Eventually("a warning about "+manifest, func(context.Context) bool {
		warning, err := apply("--dry-run=server")
		if err != nil {
			s.T.Fatalf("refused: %s", warning)
		}
		return strings.Contains(warning, "Warning: ["+rule+"] ")
	})
	warning, err := apply()
	if err != nil || !strings.Contains(warning, "Warning: ["+rule+"] ") {
		s.T.Fatalf("%v, and it says %q", err, warning)
	}
	return warning
}

func bundle(manifests ...string) string { return strings.Join(manifests, "\n---\n") }

// web is a Deployment.
func web(replicas int) string {
	return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: ` + strconv.Itoa(replicas) + `
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: app, image: "registry.example/app:1", readinessProbe: {httpGet: {path: /readyz, port: 8080}, timeoutSeconds: 2}, ports: [{containerPort: 8080}]}
`
}

// budget is one over the pods of web; metadata is in YAML flow style.
func budget(name, ask string, metadata ...string) string {
	return "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {" + strings.Join(append([]string{"name: " + name}, metadata...), ", ") +
		"}\nspec: {" + ask + ", selector: {matchLabels: {app: web}}}\n"
}

// scaler is an autoscaler of web.
func scaler(least int) string {
	return "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\n" +
		"spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, minReplicas: " + strconv.Itoa(least) + ", maxReplicas: 9}\n"
}

const (
	blocked = `spec.minAvailable is 1, and Deployment web runs 1 pod; no eviction is allowed, and a drain waits forever. ` +
		`Set maxUnavailable 1 in place of minAvailable: one pod cannot be kept through a drain. To keep the service up, run 2 pods or more.`
	overlaps = `spec.selector selects the pods of Deployment web, as budget "first" does; the eviction of a pod with two budgets fails with an error, and kubectl drain with it. ` +
		`Keep one budget for them; to replace one, delete it first.`
)
