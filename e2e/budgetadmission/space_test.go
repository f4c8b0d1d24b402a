package budgetadmission

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
const patience = 2 * time.Minute

// strict are the labels of most namespaces here. Probity's own budgets stay out of
// the way.
var strict = []string{"probity.dev/mode=enforce", "probity.dev/profile=strict", "probity.dev/inject=none"}

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
	s := &space{t: t, name: "budgets-" + strconv.Itoa(int(namespaces.Add(1))), clientset: admin(t)}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.name, Labels: map[string]string{}}}
	for _, l := range labels {
		key, value, _ := strings.Cut(l, "=")
		ns.Labels[key] = value
	}
	if _, err := s.clientset.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.clientset.CoreV1().Namespaces().Delete(context.Background(), s.name, metav1.DeleteOptions{})
	})
	var err error
	if s.user, err = local.User(t.Context(), "developer", s.name); err != nil {
		t.Fatal(err)
	}
	return s
}

func admin(t *testing.T) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(local.ControlPlane.Admin())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// account gives a service account the right to edit in the namespace, and returns
// the path of its kubeconfig.
func (s *space) account(name string) (kubeconfig string) {
	s.t.Helper()
	user := "system:serviceaccount:" + s.name + ":" + name
	access, err := local.ControlPlane.User(user, "system:serviceaccounts", "system:serviceaccounts:"+s.name)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := local.AllowEdit(s.t.Context(), user, s.name); err != nil {
		s.t.Fatal(err)
	}
	if kubeconfig, err = local.Kubeconfig(access); err != nil {
		s.t.Fatal(err)
	}
	return kubeconfig
}

// label changes labels of the namespace, as an administrator, and waits until
// Probity goes by them.
func (s *space) label(labels ...string) {
	s.t.Helper()
	args := append([]string{"label", "--overwrite", "namespace", s.name}, labels...)
	if _, stderr, err := local.Kubectl(s.t.Context(), local.Admin, "", args...); err != nil {
		s.t.Fatalf("label %v: %v: %s", labels, err, stderr)
	}
}

// kubectl runs as the ordinary user; stdin is a manifest.
func (s *space) kubectl(stdin string, args ...string) (out, stderr string, err error) {
	s.t.Helper()
	return local.Kubectl(s.t.Context(), s.user, stdin, append([]string{"-n", s.name}, args...)...)
}

// apply is kubectl apply that may not fail, and returns its warnings.
func (s *space) apply(manifests ...string) (warnings string) {
	s.t.Helper()
	out, stderr, err := s.kubectl(bundle(manifests...), "apply", "-f", "-")
	if err != nil {
		s.t.Fatalf("kubectl apply: %v\n%s%s", err, out, stderr)
	}
	return stderr
}

// refused is kubectl apply that must fail, and returns what Probity says. What the
// manifest meets may have been made a moment ago: it asks until Probity has seen it.
func (s *space) refused(manifest string) (message string) {
	s.t.Helper()
	s.eventually("a refusal of "+manifest, func(context.Context) bool {
		_, _, err := s.kubectl(manifest, "apply", "--dry-run=server", "-f", "-")
		return err != nil
	})
	_, stderr, err := s.kubectl(manifest, "apply", "-f", "-")
	if err == nil {
		s.t.Fatal("a dry run was refused, the request itself was not")
	}
	_, message, ok := strings.Cut(strings.TrimSpace(stderr), "denied the request: ")
	if !ok {
		s.t.Fatalf("not refused by Probity: %s", stderr)
	}
	return message
}

// warned is kubectl apply that Probity lets through with a warning about the rule.
// As refused, it asks until Probity has seen what there is.
func (s *space) warned(kubeconfig, manifest, rule string) (warning string) {
	s.t.Helper()
	apply := func(more ...string) (string, error) {
		args := append([]string{"-n", s.name, "apply", "-f", "-"}, more...)
		_, stderr, err := local.Kubectl(s.t.Context(), kubeconfig, manifest, args...)
		return stderr, err
	}
	s.eventually("a warning about "+manifest, func(context.Context) bool {
		warning, err := apply("--dry-run=server")
		if err != nil {
			s.t.Fatalf("refused: %s", warning)
		}
		return strings.Contains(warning, "Warning: ["+rule+"] ")
	})
	warning, err := apply()
	if err != nil || !strings.Contains(warning, "Warning: ["+rule+"] ") {
		s.t.Fatalf("%v, and it says %q", err, warning)
	}
	return warning
}

// eventually polls until ok.
func (s *space) eventually(what string, ok func(context.Context) bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !ok(ctx) {
		select {
		case <-ctx.Done():
			s.t.Fatalf("waited %s for %s", patience, what)
		case <-tick.C:
		}
	}
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
	blocked = `spec.minAvailable is 1, and Deployment web runs 1 pod; no eviction is allowed, and a drain waits for ever. ` +
		`Set maxUnavailable 1 in place of minAvailable: one pod cannot be kept through a drain. To keep the service up, run 2 pods or more.`
	overlaps = `spec.selector selects the pods of Deployment web, as budget "first" does; a pod with two budgets cannot be evicted, and a drain waits for ever. ` +
		`Keep one budget for them; to replace one, delete it first.`
)
