package budget

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// patience bounds every wait; nothing takes nearly as long.
const patience = 2 * time.Minute

var namespaces atomic.Int32

// space is a namespace of one test.
type space struct {
	t    testing.TB
	name string
	kubernetes.Interface
}

const enforce = "probity.dev/mode=enforce"

// newSpace makes a namespace with labels, such as "probity.dev/mode=enforce".
func newSpace(t testing.TB, labels ...string) *space {
	t.Helper()
	client, err := kubernetes.NewForConfig(cluster.Admin())
	if err != nil {
		t.Fatal(err)
	}
	s := &space{t, "budget-" + strconv.Itoa(int(namespaces.Add(1))), client}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.name, Labels: map[string]string{}}}
	for _, l := range labels {
		key, value, _ := strings.Cut(l, "=")
		ns.Labels[key] = value
	}
	if _, err := client.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.CoreV1().Namespaces().Delete(context.Background(), s.name, metav1.DeleteOptions{})
	})
	// Pods need the default service account, which a controller makes.
	s.eventually("the default service account", func(ctx context.Context) bool {
		_, err := client.CoreV1().ServiceAccounts(s.name).Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	})
	return s
}

// kubectl runs as an administrator, and may not fail.
func (s *space) kubectl(stdin string, args ...string) string {
	s.t.Helper()
	out, stderr, err := cluster.Kubectl(s.t.Context(), adminFile, stdin, append([]string{"-n", s.name}, args...)...)
	if err != nil {
		s.t.Fatalf("kubectl %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr)
	}
	return out
}

func (s *space) apply(manifest string) { s.t.Helper(); s.kubectl(manifest, "apply", "-f", "-") }

func (s *space) eventually(what string, ok func(context.Context) bool) {
	s.t.Helper()
	eventually(s.t, what, ok)
}

func eventually(t testing.TB, what string, ok func(context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok(ctx) {
		select {
		case <-ctx.Done():
			t.Fatalf("waited %s for %s", patience, what)
		case <-tick.C:
		}
	}
}

// budget is one that Probity makes for a Deployment.
func (s *space) budget(workload string) (*policyv1.PodDisruptionBudget, bool) {
	return s.named("probity-deployment-" + workload)
}

func (s *space) named(name string) (*policyv1.PodDisruptionBudget, bool) {
	s.t.Helper()
	b, err := s.PolicyV1().PodDisruptionBudgets(s.name).Get(s.t.Context(), name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		s.t.Fatal(err)
	}
	return b, err == nil
}

// made waits until a Deployment has a budget of Probity.
func (s *space) made(workload string) *policyv1.PodDisruptionBudget {
	s.t.Helper()
	var b *policyv1.PodDisruptionBudget
	s.eventually("the budget of "+workload, func(context.Context) (ok bool) {
		b, ok = s.budget(workload)
		return ok
	})
	return b
}

// gone waits until web has none.
func (s *space) gone() {
	s.t.Helper()
	s.eventually("the end of the budget of web", func(context.Context) bool {
		_, ok := s.budget("web")
		return !ok
	})
}

// rolledOut waits until all replicas are ready.
func (s *space) rolledOut(workload string) {
	s.t.Helper()
	s.eventually("the rollout of "+workload, func(ctx context.Context) bool {
		d, err := s.AppsV1().Deployments(s.name).Get(ctx, workload, metav1.GetOptions{})
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
