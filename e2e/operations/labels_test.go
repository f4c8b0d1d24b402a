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
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// TestLabelsTellWhatTheyDo shows what kubectl prints, from the first dry run to the
// last label's removal.
func TestLabelsTellWhatTheyDo(t *testing.T) {
	s := newSpace(t, "labelled")
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
	s.Admin(strings.Join(manifests, "---\n"), "apply", "-f", "-")
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
		// What kubectl says itself, "modified" or "labeled", differs among its versions.
		_, stderr, _ := s.KubectlAs(s.Administrator, "", args...)
		fmt.Fprintf(&out, "$ kubectl %s\n%s\n", strings.Join(args, " "), stderr)
	}
	golden(t, "labels.golden", out.String())
}

// TestManyWorkloads labels a namespace with as many workloads as are looked at. How
// long it takes is told, and not asserted: a busy machine may need more than the
// second that the look may take, and then says so.
func TestManyWorkloads(t *testing.T) {
	const workloads = 3000
	s := newSpace(t, "many")
	jobs := s.Client.BatchV1().CronJobs(s.Name)
	// No controller writes to these, so the API server has nothing else to do.
	template := batchv1.CronJob{Spec: batchv1.CronJobSpec{Schedule: "0 3 * * *", Suspend: new(true)}}
	var web appsv1.Deployment
	if err := yaml.Unmarshal([]byte(deployment("web", asksDatabase)), &web); err != nil {
		t.Fatal(err)
	}
	template.Spec.JobTemplate.Spec.Template = web.Spec.Template
	template.Spec.JobTemplate.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	var next atomic.Int32
	var creators errgroup.Group
	for range 8 {
		creators.Go(func() error {
			for i := next.Add(1); i <= workloads; i = next.Add(1) {
				d := template.DeepCopy()
				d.Name = fmt.Sprintf("web-%04d", i)
				if _, err := jobs.Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := creators.Wait(); err != nil {
		t.Fatal(err)
	}
	before := spent(t)
	started := time.Now()
	_, stderr := s.Admin("", "label", "namespace", "many", "probity.dev/mode=enforce", "--dry-run=server")
	took := time.Since(started)
	after := spent(t)
	t.Logf("%d workloads: the handler took %.0f ms, kubectl %s; CPU of Probity %.0f ms, of the API server %.0f ms; it said:\n%s", workloads,
		1000*(after.handler-before.handler), took.Round(time.Millisecond), 1000*(after.probity-before.probity), 1000*(after.server-before.server), stderr)
	if !strings.HasPrefix(stderr, "Warning: [liveness-dependency-path] CronJob web-0001 and ") || !strings.Contains(stderr, " more would be refused: ") {
		t.Errorf("got %s", stderr)
	}
	whole := strings.Contains(stderr, "web-0001 and 2999 more would be refused")
	if cut := strings.Contains(stderr, "there may be more"); cut == whole {
		t.Errorf("seen as a whole: %v, told that it was not: %v", whole, cut)
	}
	// One more is over the bound.
	if whole {
		one := template.DeepCopy()
		one.Name = "web-9999"
		if _, err := jobs.Create(t.Context(), one, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		_, stderr := s.Admin("", "label", "namespace", "many", "probity.dev/mode=enforce", "--dry-run=server")
		if !strings.Contains(stderr, "looked at the first 3000 workloads only: there are more") && !strings.Contains(stderr, "there may be more") {
			t.Errorf("got %s", stderr)
		}
	}
}

// costs are times in seconds: of all reviews of namespaces, and of the CPU, which a
// busy machine does not make longer.
type costs struct{ handler, probity, server float64 }

func spent(t *testing.T) costs {
	t.Helper()
	var c costs
	for _, m := range families(t)["probity_admission_duration_seconds"].GetMetric() {
		if l := m.GetLabel(); len(l) == 1 && l[0].GetValue() == "namespace" {
			c.handler = m.GetHistogram().GetSampleSum()
		}
	}
	c.probity = metric(t, "process_cpu_seconds_total", nil)
	var err error
	if c.server, err = local.Metric(t.Context(), "process_cpu_seconds_total", nil); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAFailedLookRefusesNothing stops Probity: labels can be changed all the same.
func TestAFailedLookRefusesNothing(t *testing.T) {
	s := newSpace(t, "unlooked")
	if err := local.Probity.Kill(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := local.Probity.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
	if warnings := s.Label("probity.dev/mode=enforce"); warnings != "" {
		t.Errorf("got %s", warnings)
	}
}
