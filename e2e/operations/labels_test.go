package operations

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// TestLabelsTellWhatTheyDo shows what kubectl prints, from the first dry run to the
// last label's removal.
func TestLabelsTellWhatTheyDo(t *testing.T) {
	newNamespace(t, "labelled")
	var manifests []string
	for _, name := range []string{"cart", "catalogue", "checkout"} {
		manifests = append(manifests, deployment(name, asksDatabase))
	}
	manifests = append(manifests,
		deployment("orders", `livenessProbe: {exec: {command: [pg_isready, -h, orders-db]}, timeoutSeconds: 5}`),
		deployment("payment", `livenessProbe: {exec: {command: [pg_isready, -h, payment-db]}, timeoutSeconds: 5}`),
		deployment("mail", `livenessProbe: {tcpSocket: {host: smtp.example, port: 25}, timeoutSeconds: 2}`),
		deployment("search", `livenessProbe: {httpGet: {path: /livez, port: 8080}, failureThreshold: 1, timeoutSeconds: 2}`),
		deployment("well-made", asksItself),
		strings.NewReplacer("Deployment", "DaemonSet", "  replicas: 0\n", "").Replace(deployment("agent", asksDatabase)),
	)
	mustKubectl(t, strings.Join(manifests, "---\n"), "-n", "labelled", "apply", "-f", "-")
	var out strings.Builder
	for _, labels := range []string{
		"probity.dev/mode=enforce --dry-run=server",
		"probity.dev/mode=audit",
		"probity.dev/mode=warn",
		"probity.dev/mode=enforce probity.dev/profile=strict",
		"probity.dev/profile-",
		"probity.dev/inject=none",
		"probity.dev/mode=off probity.dev/inject-",
		"probity.dev/mode=warn",
		"probity.dev/mode-",
		"probity.dev/mode=on --dry-run=server",
	} {
		args := append([]string{"label", "--overwrite", "namespace", "labelled"}, strings.Fields(labels)...)
		stdout, stderr, _ := kubectl(t, "", args...)
		fmt.Fprintf(&out, "$ kubectl %s\n%s%s\n", strings.Join(args, " "), stderr, stdout)
	}
	golden(t, "labels.golden", out.String())
}

// TestManyWorkloads labels a namespace with as many workloads as are looked at. How
// long it takes is told, and not asserted: a busy machine may need more than the
// second that the look may take, and then says so.
func TestManyWorkloads(t *testing.T) {
	const workloads = 3000
	newNamespace(t, "many")
	client := newClient(t)
	var template appsv1.Deployment
	if err := yaml.Unmarshal([]byte(deployment("web", asksDatabase)), &template); err != nil {
		t.Fatal(err)
	}
	template.Spec.Paused = true // no ReplicaSet for each
	var next atomic.Int32
	var creators errgroup.Group
	for range 8 {
		creators.Go(func() error {
			for i := next.Add(1); i <= workloads; i = next.Add(1) {
				d := template.DeepCopy()
				d.Name = fmt.Sprintf("web-%04d", i)
				if _, err := client.AppsV1().Deployments("many").Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := creators.Wait(); err != nil {
		t.Fatal(err)
	}
	before := sum(t)
	started := time.Now()
	_, stderr := mustKubectl(t, "", "label", "namespace", "many", "probity.dev/mode=enforce", "--dry-run=server")
	took := time.Since(started)
	after := sum(t)
	t.Logf("%d workloads: the handler took %.0f ms, kubectl %s; it said:\n%s", workloads, 1000*(after-before), took.Round(time.Millisecond), stderr)
	if !strings.HasPrefix(stderr, "Warning: [liveness-dependency-path] Deployment web-0001 and ") || !strings.Contains(stderr, " more would be refused: ") {
		t.Errorf("got %s", stderr)
	}
	whole := strings.Contains(stderr, "web-0001 and 2999 more would be refused")
	if cut := strings.Contains(stderr, "there may be more"); cut == whole {
		t.Errorf("seen as a whole: %v, told that it was not: %v", whole, cut)
	}
	// One more is over the bound.
	if whole {
		mustKubectl(t, deployment("web-9999", asksDatabase), "-n", "many", "create", "-f", "-")
		_, stderr := mustKubectl(t, "", "label", "namespace", "many", "probity.dev/mode=enforce", "--dry-run=server")
		if !strings.Contains(stderr, "looked at the first 3000 workloads only: there are more") && !strings.Contains(stderr, "there may be more") {
			t.Errorf("got %s", stderr)
		}
	}
}

// sum is the time, in seconds, that reviews of namespaces took in all.
func sum(t *testing.T) float64 {
	t.Helper()
	for _, m := range families(t)["probity_admission_duration_seconds"].GetMetric() {
		if l := m.GetLabel(); len(l) == 1 && l[0].GetValue() == "namespace" {
			return m.GetHistogram().GetSampleSum()
		}
	}
	return 0
}

// TestAFailedLookRefusesNothing stops Probity: labels can be changed all the same.
func TestAFailedLookRefusesNothing(t *testing.T) {
	newNamespace(t, "unlooked")
	if err := probity.Kill(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := probity.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
	_, stderr := mustKubectl(t, "", "label", "namespace", "unlooked", "probity.dev/mode=enforce")
	if stderr != "" {
		t.Errorf("got %s", stderr)
	}
}
