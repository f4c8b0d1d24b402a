package budget

import (
	"context"
	"fmt"
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/probity-dev/probity/e2e/suite"
)

// space is a namespace of one test. Everything is done as the administrator.
type space struct{ *suite.Space }

const enforce = "probity.dev/mode=enforce"

// newSpace makes a namespace with labels, such as "probity.dev/mode=enforce".
func newSpace(t testing.TB, labels ...string) space {
	t.Helper()
	return space{suite.New(t, local.ControlPlane, "budget", labels...)}
}

func (s space) apply(manifest string) { s.T.Helper(); s.Admin(manifest, "apply", "-f", "-") }

// budget is one that Probity makes for a Deployment.
func (s space) budget(workload string) (*policyv1.PodDisruptionBudget, bool) {
	return s.named("probity-deployment-" + workload)
}

func (s space) named(name string) (*policyv1.PodDisruptionBudget, bool) {
	s.T.Helper()
	b, err := s.Client.PolicyV1().PodDisruptionBudgets(s.Name).Get(s.T.Context(), name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		s.T.Fatal(err)
	}
	return b, err == nil
}

// made waits until a Deployment has a budget of Probity.
func (s space) made(workload string) *policyv1.PodDisruptionBudget {
	s.T.Helper()
	var b *policyv1.PodDisruptionBudget
	s.Eventually("the budget of "+workload, func(context.Context) (ok bool) {
		b, ok = s.budget(workload)
		return ok
	})
	return b
}

// gone waits until web has none.
func (s space) gone() {
	s.T.Helper()
	s.Eventually("the end of the budget of web", func(context.Context) bool {
		_, ok := s.budget("web")
		return !ok
	})
}

// rolledOut waits until all replicas are ready.
func (s space) rolledOut(workload string) {
	s.T.Helper()
	s.Eventually("the rollout of "+workload, func(ctx context.Context) bool {
		d, err := s.Client.AppsV1().Deployments(s.Name).Get(ctx, workload, metav1.GetOptions{})
		return err == nil && d.Status.ObservedGeneration == d.Generation && d.Status.ReadyReplicas == *d.Spec.Replicas &&
			d.Status.UpdatedReplicas == *d.Spec.Replicas && d.Status.Replicas == *d.Spec.Replicas
	})
}

// deployment is one that rules have nothing against.
func deployment(name string, replicas int) string {
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: %[1]s
spec:
  replicas: %[2]d
  selector: {matchLabels: {app: %[1]s}}
  template:
    metadata: {labels: {app: %[1]s}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - name: app
        image: registry.example/app:1
        livenessProbe: {httpGet: {path: /livez, port: 8080}, timeoutSeconds: 2}
        readinessProbe: {httpGet: {path: /ready, port: 8080}, timeoutSeconds: 2, periodSeconds: 5}
`, name, replicas)
}

func userBudget(name, selector string) string {
	return fmt.Sprintf(`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: %s}, spec: {maxUnavailable: 1, selector: {matchLabels: {%s}}}}`, name, selector)
}
