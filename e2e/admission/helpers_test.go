package admission

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// patience bounds every wait; nothing takes nearly as long.
const patience = time.Minute

var namespaces atomic.Int32

// space is a namespace of one test, with an ordinary user who may edit there.
type space struct {
	t         *testing.T
	name      string
	user      string // its kubeconfig
	clientset kubernetes.Interface
}

// newSpace makes a namespace; labels are "probity.dev/mode=enforce" and so on.
func newSpace(t *testing.T, labels ...string) *space {
	t.Helper()
	s := &space{t: t, name: "e2e-" + strconv.Itoa(int(namespaces.Add(1)))}
	client, err := kubernetes.NewForConfig(cluster.Admin())
	if err != nil {
		t.Fatal(err)
	}
	s.clientset = client
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
	const developer = "developer"
	access, err := cluster.User(developer)
	if err != nil {
		t.Fatal(err)
	}
	if err := cluster.AllowEdit(t.Context(), developer, s.name); err != nil {
		t.Fatal(err)
	}
	if s.user, err = cluster.Kubeconfig(access); err != nil {
		t.Fatal(err)
	}
	// Pods need the default service account, which a controller makes.
	s.eventually("the default service account", func(ctx context.Context) bool {
		_, err := client.CoreV1().ServiceAccounts(s.name).Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	})
	return s
}

// kubectl runs as the ordinary user and returns both outputs.
func (s *space) kubectl(stdin string, args ...string) (out, warnings string, err error) {
	s.t.Helper()
	return cluster.Kubectl(s.t.Context(), s.user, stdin, append([]string{"-n", s.name}, args...)...)
}

// must is kubectl that may not fail.
func (s *space) must(stdin string, args ...string) (out, warnings string) {
	s.t.Helper()
	out, warnings, err := s.kubectl(stdin, args...)
	if err != nil {
		s.t.Fatalf("kubectl %s: %v\n%s%s", strings.Join(args, " "), err, out, warnings)
	}
	return out, warnings
}

// label changes labels of the namespace, as an administrator.
func (s *space) label(labels ...string) {
	s.t.Helper()
	args := append([]string{"label", "--overwrite", "namespace", s.name}, labels...)
	if _, stderr, err := cluster.Kubectl(s.t.Context(), adminFile, "", args...); err != nil {
		s.t.Fatalf("label %v: %v: %s", labels, err, stderr)
	}
}

// eventually polls until ok.
func (s *space) eventually(what string, ok func(context.Context) bool) {
	s.t.Helper()
	eventually(s.t, what, ok)
}

func eventually(t *testing.T, what string, ok func(context.Context) bool) {
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

// calls counts the requests that the API server has sent to a webhook.
func calls(t *testing.T, webhook string) float64 {
	t.Helper()
	n, err := cluster.Metric(t.Context(), "apiserver_admission_webhook_request_total", map[string]string{"name": webhook})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const (
	validating = "workloads.validate.probity.dev"
	mutating   = "startup.mutate.probity.dev"
)

// deployment is a Deployment with one container, whose fields below its name are
// given in YAML flow style.
func deployment(name, container string) string {
	return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ` + name + `
spec:
  replicas: 2
  selector: {matchLabels: {app: ` + name + `}}
  template:
    metadata: {labels: {app: ` + name + `}}
    spec:
      containers:
      - {name: app, image: "registry.example/app:1", ` + container + `}
`
}

const (
	asksDatabase = `livenessProbe: {httpGet: {path: /health/db, port: 8080}, timeoutSeconds: 2}`
	asksItself   = `livenessProbe: {httpGet: {path: /livez, port: 8080}, timeoutSeconds: 2}`

	databaseMessage = `container "app": livenessProbe.httpGet.path asks the database (/health/db); a restart cannot repair that, so its outage restarts every replica. Ask only whether this process works. Check the rest in readiness or in an alert.`
)
