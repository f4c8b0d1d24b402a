package enforcement

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

// patience bounds every wait. Pods of a node that is gone are taken for lost after
// about a minute.
const patience = 4 * time.Minute

var namespaces atomic.Int32

// space is a namespace of one test, with an ordinary user who may edit there.
type space struct {
	t      *testing.T
	name   string
	user   string // its kubeconfig
	client kubernetes.Interface
}

const developer = "developer"

// newSpace makes a namespace whose name begins so.
func newSpace(t *testing.T, prefix string) *space {
	t.Helper()
	client, err := kubernetes.NewForConfig(cluster.Admin())
	if err != nil {
		t.Fatal(err)
	}
	s := &space{t: t, name: prefix + "-" + strconv.Itoa(int(namespaces.Add(1))), client: client}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.name}}
	if _, err := client.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.CoreV1().Namespaces().Delete(context.Background(), s.name, metav1.DeleteOptions{})
	})
	s.user = s.as(developer)
	// Pods need the default service account, which a controller makes.
	s.eventually("the default service account", func(ctx context.Context) bool {
		_, err := client.CoreV1().ServiceAccounts(s.name).Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	})
	return s
}

// as returns the kubeconfig of a user who may edit in the namespace.
func (s *space) as(user string, groups ...string) string {
	s.t.Helper()
	access, err := cluster.User(user, groups...)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cluster.AllowEdit(s.t.Context(), user, s.name); err != nil {
		s.t.Fatal(err)
	}
	kubeconfig, err := cluster.Kubeconfig(access)
	if err != nil {
		s.t.Fatal(err)
	}
	return kubeconfig
}

// enforce labels the namespace and waits until a faulty Deployment is refused.
func (s *space) enforce() {
	s.t.Helper()
	s.admin("label", "--overwrite", "namespace", s.name, "probity.dev/mode=enforce")
	if strings.HasPrefix(s.name, "exempt-") {
		return
	}
	s.eventually("enforcement", func(context.Context) bool {
		_, _, err := s.kubectl(deployment("probe-of-the-test", "", asksDatabase), "create", "--dry-run=server", "-f", "-")
		return err != nil
	})
}

// admin runs kubectl as an administrator.
func (s *space) admin(args ...string) {
	s.t.Helper()
	if _, stderr, err := cluster.Kubectl(s.t.Context(), adminFile, "", append([]string{"-n", s.name}, args...)...); err != nil {
		s.t.Fatalf("%v: %v: %s", args, err, stderr)
	}
}

// kubectl runs as the ordinary user and returns both outputs.
func (s *space) kubectl(stdin string, args ...string) (out, warnings string, err error) {
	s.t.Helper()
	return s.kubectlAs(s.user, stdin, args...)
}

func (s *space) kubectlAs(kubeconfig, stdin string, args ...string) (out, warnings string, err error) {
	s.t.Helper()
	return cluster.Kubectl(s.t.Context(), kubeconfig, stdin, append([]string{"-n", s.name}, args...)...)
}

// must is kubectl that may not fail.
func (s *space) must(stdin string, args ...string) (warnings string) {
	s.t.Helper()
	out, warnings, err := s.kubectl(stdin, args...)
	if err != nil {
		s.t.Fatalf("kubectl %s: %v\n%s%s", strings.Join(args, " "), err, out, warnings)
	}
	return warnings
}

// refused is kubectl that must be refused by Probity with all of these.
func (s *space) refused(stdin string, args []string, says ...string) {
	s.t.Helper()
	_, stderr, err := s.kubectl(stdin, args...)
	if err == nil || !strings.Contains(stderr, `"workloads.validate.probity.dev" denied the request`) {
		s.t.Errorf("kubectl %s is not refused: %v %s", strings.Join(args, " "), err, stderr)
		return
	}
	for _, text := range says {
		if !strings.Contains(stderr, text) {
			s.t.Errorf("kubectl %s: the refusal does not say %q:\n%s", strings.Join(args, " "), text, stderr)
		}
	}
}

var apply = []string{"apply", "-f", "-"}

// eventually polls until ok.
func (s *space) eventually(what string, ok func(context.Context) bool) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !ok(ctx) {
		select {
		case <-ctx.Done():
			s.t.Fatalf("waited %s for %s", patience, what)
		case <-tick.C:
		}
	}
}

// running returns the pods that run and are not about to go.
func (s *space) running() map[string]corev1.Pod {
	s.t.Helper()
	pods, err := s.client.CoreV1().Pods(s.name).List(s.t.Context(), metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
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
	asksDatabase = `livenessProbe: {httpGet: {path: /health/db, port: 8080}, timeoutSeconds: 2}`
	asksRedis    = `livenessProbe: {httpGet: {path: /health/redis, port: 8080}, timeoutSeconds: 2}`
	asksItself   = `livenessProbe: {httpGet: {path: /livez, port: 8080}, timeoutSeconds: 2}`

	exempted = `probity.dev/exempt: liveness-dependency-path, probity.dev/exempt-reason: until the next release`

	rule    = "[liveness-dependency-path]"
	warning = "Warning: " + rule
)
