package admission

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestEnforcementNeverTakesCapacityAway labels a namespace in which a faulty
// Deployment runs, and does what operators do in an incident.
func TestEnforcementNeverTakesCapacityAway(t *testing.T) {
	s := newSpace(t)
	faulty := deployment("orders", asksDatabase)
	s.Must(faulty, "apply", "-f", "-")
	s.rolledOut()
	s.Label("probity.dev/mode=enforce")
	s.Eventually("enforcement", func(context.Context) bool {
		_, _, err := s.Kubectl(deployment("probe-of-the-test", asksDatabase), "create", "--dry-run=server", "-f", "-")
		return err != nil
	})

	t.Run("pods that are deleted come back", func(t *testing.T) {
		before := calls(t, validating)
		old := s.podNames()
		s.Must("", "delete", "pods", "--all", "--now")
		s.Eventually("new pods", func(context.Context) bool {
			for name := range s.podNames() {
				if old[name] {
					return false
				}
			}
			return s.orders().Status.ReadyReplicas == 2 && len(s.podNames()) == 2
		})
		if now := calls(t, validating); now != before {
			t.Errorf("the API server called Probity %v times for them", now-before)
		}
	})
	t.Run("kubectl scale works", func(t *testing.T) {
		_, warnings := s.Must("", "scale", "deployment", "orders", "--replicas=3")
		if warnings != "" {
			t.Errorf("it warns: %s", warnings)
		}
		s.rolledOut()
	})
	t.Run("an annotation goes through", func(*testing.T) {
		s.Must("", "annotate", "deployment", "orders", "probity.dev/startup-budget=10m", "team=shop")
	})
	t.Run("replicas in the manifest go through with a warning", func(t *testing.T) {
		_, warnings := s.Must(strings.Replace(faulty, "replicas: 2", "replicas: 4", 1), "apply", "-f", "-")
		if !strings.Contains(warnings, "Warning: [liveness-dependency-path]") {
			t.Errorf("got %q", warnings)
		}
	})
	t.Run("a restart goes through with a warning", func(t *testing.T) {
		_, warnings := s.Must("", "rollout", "restart", "deployment", "orders")
		if !strings.Contains(warnings, "Warning: [liveness-dependency-path]") {
			t.Errorf("got %q", warnings)
		}
		s.rolledOut()
	})
	t.Run("a further fault is refused, and only that", func(t *testing.T) {
		worse := strings.Replace(faulty, asksDatabase, asksDatabase+`, readinessProbe: {httpGet: {path: /readyz, port: 8080}, periodSeconds: 5, timeoutSeconds: 5}`, 1)
		_, stderr, err := s.Kubectl(worse, "apply", "-f", "-")
		if err == nil || !strings.Contains(stderr, "denied the request: container \"app\": readinessProbe.timeoutSeconds is 5, as is periodSeconds") {
			t.Errorf("got %v %s", err, stderr)
		}
		if strings.Contains(stderr, "findings:") {
			t.Errorf("the old fault is counted: %s", stderr)
		}
	})
	t.Run("the fix is accepted without a word", func(t *testing.T) {
		_, warnings := s.Must(deployment("orders", asksItself), "apply", "-f", "-")
		if warnings != "" {
			t.Errorf("it warns: %s", warnings)
		}
		s.rolledOut()
	})
}

func (s space) podNames() map[string]bool {
	s.T.Helper()
	pods, err := s.Client.CoreV1().Pods(s.Name).List(s.T.Context(), metav1.ListOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	names := map[string]bool{}
	for _, p := range pods.Items {
		if p.DeletionTimestamp == nil && p.Status.Phase == corev1.PodRunning {
			names[p.Name] = true
		}
	}
	return names
}

// TestAPersonsPodIsJudged whatever owner it claims; a service account's pod with
// a controller only warns.
func TestAPersonsPodIsJudged(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "probity.dev/mode=enforce")
	pod := `apiVersion: v1
kind: Pod
metadata:
  name: orders
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: orders, uid: 00000000-0000-4000-8000-000000000003, controller: true}]
spec:
  containers: [{name: app, image: "app:1", ` + asksDatabase + `}]
`
	_, stderr, err := s.Kubectl(pod, "create", "-f", "-")
	if err == nil || !strings.Contains(stderr, databaseMessageOf("Pod")) {
		t.Errorf("a person: %v %s", err, stderr)
	}
	_, stderr, err = s.KubectlAs(s.Account("operator"), pod, "create", "--dry-run=server", "-f", "-")
	if err != nil || !strings.Contains(stderr, "Warning: [liveness-dependency-path]") {
		t.Errorf("a service account: %v %s", err, stderr)
	}
}

// TestProbityStopped: without an answer everything is created as it is written.
func TestProbityStopped(t *testing.T) {
	s := newSpace(t, "probity.dev/mode=enforce")
	if err := local.Probity.Kill(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := local.Probity.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
	// In time: before the webhooks' own timeouts of 2 s, twice, with room for a
	// busy machine; kubectl fails at its own limit otherwise.
	s.Must(deployment("orders", asksDatabase), "apply", "--request-timeout=20s", "-f", "-")
	s.Must(`{apiVersion: v1, kind: Pod, metadata: {name: lone}, spec: {containers: [{name: app, image: "app:1", `+asksDatabase+`}]}}`,
		"apply", "--request-timeout=20s", "-f", "-")
	if d := s.rolledOut(); d.Spec.Template.Spec.Containers[0].StartupProbe != nil {
		t.Error("something was injected")
	}
}
