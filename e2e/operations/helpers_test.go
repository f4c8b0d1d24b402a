package operations

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// patience bounds every wait; nothing takes nearly as long.
const patience = time.Minute

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

func newClient(t *testing.T) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(cluster.Admin())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// newNamespace makes a namespace; labels are "probity.dev/mode=enforce" and so on.
func newNamespace(t *testing.T, name string, labels ...string) {
	t.Helper()
	client := newClient(t)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{}}}
	for _, l := range labels {
		key, value, _ := strings.Cut(l, "=")
		ns.Labels[key] = value
	}
	if _, err := client.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // its name may be used again
		ctx := context.Background()
		_, stderr, err := cluster.Kubectl(ctx, adminFile, "", "delete", "namespace", name, "--ignore-not-found", "--wait=false")
		if err != nil {
			t.Errorf("%v: %s", err, stderr)
		}
	})
}

// kubectl runs as an administrator.
func kubectl(t *testing.T, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	return cluster.Kubectl(t.Context(), adminFile, stdin, args...)
}

func mustKubectl(t *testing.T, stdin string, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, err := kubectl(t, stdin, args...)
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s%s", strings.Join(args, " "), err, stdout, stderr)
	}
	return stdout, stderr
}

// enforced waits until the faulty Deployment is refused in the namespace.
func enforced(t *testing.T, namespace string) {
	t.Helper()
	eventually(t, "enforcement in "+namespace, func(context.Context) bool { return refused(t, namespace) })
}

func refused(t *testing.T, namespace string) bool {
	t.Helper()
	_, stderr, err := kubectl(t, deployment("asked-by-the-test", asksDatabase), "-n", namespace, "create", "--dry-run=server", "-f", "-")
	return err != nil && strings.Contains(stderr, "denied the request")
}

// deployment is a Deployment with one container, whose fields below its name are
// given in YAML flow style. It has no replicas, since nothing here is about them.
func deployment(name, container string) string {
	return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ` + name + `
spec:
  replicas: 0
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
	asksItself   = `livenessProbe: {httpGet: {path: /livez, port: 8080}, timeoutSeconds: 2}, readinessProbe: {httpGet: {path: /readyz, port: 8080}, periodSeconds: 5, failureThreshold: 2}`
)

// families are the metrics that Probity shows.
func families(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, probity.MetricsURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	all, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// metric is the value of a counter or gauge with one label, or none.
func metric(t *testing.T, name string, label ...string) float64 {
	t.Helper()
	var sum float64
	for _, m := range families(t)[name].GetMetric() {
		if len(label) == 2 {
			matches := false
			for _, l := range m.GetLabel() {
				matches = matches || l.GetName() == label[0] && l.GetValue() == label[1]
			}
			if !matches {
				continue
			}
		}
		sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
	}
	return sum
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
