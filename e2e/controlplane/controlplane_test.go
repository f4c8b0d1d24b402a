package controlplane

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	developer = "ann"
	namespace = "team"
	// patience is how long a test waits for what a controller does.
	patience = time.Minute

	replicaSetController = "system:serviceaccount:kube-system:replicaset-controller"
)

// TestControlPlane starts one control plane for all of its subtests, each of
// which uses objects of its own.
func TestControlPlane(t *testing.T) {
	cluster := startCluster(t)
	kubectl := asDeveloper(t, cluster)

	t.Run("a Deployment rolls out to ready pods on the nodes", func(t *testing.T) {
		kubectl.must(t, "", "create", "deployment", "web", "--image=web:1", "--replicas=3")
		kubectl.must(t, "", "rollout", "status", "deployment/web", "--timeout="+patience.String())
		for _, pod := range pods(t, cluster, "app=web") {
			if !strings.HasPrefix(pod.Spec.NodeName, "node-") {
				t.Errorf("pod %s is on node %q", pod.Name, pod.Spec.NodeName)
			}
		}
	})
	t.Run("pods are created by the service account of their controller", func(t *testing.T) {
		event := awaitEvent(t, cluster, func(e *auditv1.Event) bool {
			return e.Verb == "create" && e.ObjectRef.Resource == "pods" && e.ObjectRef.Namespace == namespace
		})
		if event.User.Username != replicaSetController {
			t.Errorf("a pod was created by %s, want %s", event.User.Username, replicaSetController)
		}
	})
	t.Run("the audit log tells what a user did", func(t *testing.T) {
		event := awaitEvent(t, cluster, func(e *auditv1.Event) bool {
			return e.User.Username == developer && e.ObjectRef.Resource == "deployments" && e.ObjectRef.Name == "web"
		})
		if event.Level != auditv1.LevelMetadata || event.Verb != "create" || event.Annotations["authorization.k8s.io/decision"] != "allow" {
			t.Errorf("level %s, verb %s, annotations %v", event.Level, event.Verb, event.Annotations)
		}
	})
	t.Run("an ordinary user may create in its namespace only", func(t *testing.T) {
		kubectl.must(t, "", "create", "configmap", "mine")
		_, stderr, err := kubectl.run(t, "", "create", "configmap", "theirs", "--namespace=default")
		if err == nil || !strings.Contains(stderr, `User "ann" cannot create resource "configmaps"`) {
			t.Errorf("error %v, stderr %q; want a refusal", err, stderr)
		}
	})
	t.Run("a Job with init container and sidecar completes", func(t *testing.T) {
		kubectl.must(t, jobManifest, "apply", "-f", "-")
		kubectl.must(t, "", "wait", "--for=condition=Complete", "job/work", "--timeout="+patience.String())
	})
	t.Run("an eviction that a budget forbids is refused", func(t *testing.T) { refusesEviction(t, cluster, kubectl) })
	t.Run("kubectl and the API server have the version of go.mod", func(t *testing.T) { hasVersion(t, kubectl) })
	t.Run("metrics of the API server are read", func(t *testing.T) { readsMetrics(t, cluster, kubectl) })
	t.Run("the API server stops and starts with its data", func(t *testing.T) { restartsAPIServer(t, cluster, kubectl) })
}

const jobManifest = `
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  template:
    spec:
      restartPolicy: Never
      initContainers:
        - {name: prepare, image: "prepare:1"}
        - {name: proxy, image: "proxy:1", restartPolicy: Always}
      containers:
        - {name: work, image: "work:1"}
`

func refusesEviction(t *testing.T, cluster *ControlPlane, kubectl *person) {
	kubectl.must(t, "", "create", "deployment", "guarded", "--image=web:1", "--replicas=1")
	kubectl.must(t, "", "rollout", "status", "deployment/guarded", "--timeout="+patience.String())
	kubectl.must(t, "", "create", "poddisruptionbudget", "guarded", "--selector=app=guarded", "--min-available=1")
	kubectl.must(t, "", "wait", "--for=jsonpath={.status.currentHealthy}=1", "pdb/guarded", "--timeout="+patience.String())

	pod := pods(t, cluster, "app=guarded")[0]
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: namespace}}
	err := cluster.client.PolicyV1().Evictions(namespace).Evict(t.Context(), eviction)
	if !apierrors.IsTooManyRequests(err) {
		t.Errorf("evict the only pod: %v, want too many requests", err)
	}
}

func hasVersion(t *testing.T, kubectl *person) {
	m, err := findModule()
	if err != nil {
		t.Fatal(err)
	}
	kubernetes, err := m.kubernetes()
	if err != nil {
		t.Fatal(err)
	}
	want, err := kubernetes.version(kubernetesModule)
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, err := kubectl.run(t, "", "version", "--output=json")
	if err != nil || stderr != "" {
		t.Fatalf("kubectl version: %v, stderr %q", err, stderr)
	}
	type version struct{ Major, Minor, GitVersion string }
	var got struct{ ClientVersion, ServerVersion version }
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	for who, v := range map[string]version{"kubectl": got.ClientVersion, "API server": got.ServerVersion} {
		if v.GitVersion != want || !strings.HasPrefix(want, "v"+v.Major+"."+v.Minor+".") {
			t.Errorf("%s has version %+v, want %s", who, v, want)
		}
	}
}

func readsMetrics(t *testing.T, cluster *ControlPlane, kubectl *person) {
	created := map[string]string{"resource": "secrets", "verb": "POST", "code": "201"}
	before, err := cluster.Metric(t.Context(), "apiserver_request_total", created)
	if err != nil {
		t.Fatal(err)
	}
	kubectl.must(t, "", "create", "secret", "generic", "counted")
	after, err := cluster.Metric(t.Context(), "apiserver_request_total", created)
	if err != nil {
		t.Fatal(err)
	}
	if after != before+1 {
		t.Errorf("created secrets went from %v to %v", before, after)
	}
	calls, err := cluster.Metric(t.Context(), "apiserver_admission_webhook_request_total", map[string]string{"name": "none"})
	if err != nil || calls != 0 {
		t.Errorf("calls of a webhook that is not there: %v, %v", calls, err)
	}
}

func restartsAPIServer(t *testing.T, cluster *ControlPlane, kubectl *person) {
	kubectl.must(t, "", "create", "configmap", "kept")
	if err := cluster.StopAPIServer(); err != nil {
		t.Fatal(err)
	}
	if _, stderr, err := kubectl.run(t, "", "get", "configmap", "kept"); err == nil || !strings.Contains(stderr, "refused") {
		t.Errorf("kubectl without an API server: %v, stderr %q", err, stderr)
	}
	if err := cluster.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	kubectl.must(t, "", "get", "configmap", "kept")
}

func startCluster(t *testing.T) *ControlPlane {
	t.Helper()
	cluster, err := Start(t.Context(), Options{Programs: buildPrograms(t), Nodes: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cluster.Stop(); err != nil {
			t.Error(err)
		}
	})
	return cluster
}

func buildPrograms(t *testing.T) string {
	t.Helper()
	programs, err := Build(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	return programs
}

// person is somebody who uses kubectl.
type person struct {
	cluster    *ControlPlane
	kubeconfig string
}

func asDeveloper(t *testing.T, cluster *ControlPlane) *person {
	t.Helper()
	team := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := cluster.client.CoreV1().Namespaces().Create(t.Context(), team, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := cluster.AllowEdit(t.Context(), developer, namespace); err != nil {
		t.Fatal(err)
	}
	access, err := cluster.User(developer)
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := cluster.Kubeconfig(access)
	if err != nil {
		t.Fatal(err)
	}
	return &person{cluster: cluster, kubeconfig: kubeconfig}
}

func (p *person) run(t *testing.T, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	// The namespace comes first, so that another one in args counts.
	return p.cluster.Kubectl(t.Context(), p.kubeconfig, stdin, append([]string{"--namespace=" + namespace}, args...)...)
}

func (p *person) must(t *testing.T, stdin string, args ...string) {
	t.Helper()
	if _, stderr, err := p.run(t, stdin, args...); err != nil {
		t.Fatalf("kubectl %s: %v: %s", strings.Join(args, " "), err, stderr)
	}
}

func pods(t *testing.T, cluster *ControlPlane, selector string) []corev1.Pod {
	t.Helper()
	client, err := kubernetes.NewForConfig(cluster.Admin())
	if err != nil {
		t.Fatal(err)
	}
	list, err := client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Items) == 0 {
		t.Fatalf("no pod has the labels %s", selector)
	}
	return list.Items
}

// awaitEvent returns the first event of the audit log that fits.
func awaitEvent(t *testing.T, cluster *ControlPlane, fits func(*auditv1.Event) bool) *auditv1.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var found *auditv1.Event
	err := cluster.WaitFor(ctx, func(context.Context) error {
		events, err := cluster.AuditEvents()
		if err != nil {
			return err
		}
		for i := range events {
			if events[i].ObjectRef != nil && fits(&events[i]) {
				found = &events[i]
				return nil
			}
		}
		return fmt.Errorf("none of %d events fits", len(events))
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestStartEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	_, err := Start(ctx, Options{Programs: buildPrograms(t)})
	if err == nil || err.Error() != "start the control plane: interrupted" {
		t.Errorf("error %v", err)
	}
}

func TestStartNeedsTheProgramsOfBuild(t *testing.T) {
	_, err := Start(t.Context(), Options{Programs: t.TempDir()})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want one that says which file does not exist", err)
	}
	var unexpected *exec.ExitError
	if errors.As(err, &unexpected) {
		t.Errorf("error %v, want none of a program", err)
	}
}
