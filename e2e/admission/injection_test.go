package admission

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func (s space) orders() *appsv1.Deployment {
	s.T.Helper()
	d, err := s.Client.AppsV1().Deployments(s.Name).Get(s.T.Context(), "orders", metav1.GetOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	return d
}

// rolledOut waits until every replica of the latest generation is ready.
func (s space) rolledOut() *appsv1.Deployment {
	s.T.Helper()
	var d *appsv1.Deployment
	s.Eventually("the rollout of orders", func(context.Context) bool {
		d = s.orders()
		return d.Status.ObservedGeneration == d.Generation && d.Status.ReadyReplicas == *d.Spec.Replicas && d.Status.UpdatedReplicas == *d.Spec.Replicas
	})
	return d
}

// injectedProbe is what the probe of asksItself becomes.
var injectedProbe = &corev1.Probe{
	ProbeHandler:   corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/livez", Port: intstr.FromInt32(8080), Scheme: "HTTP"}},
	TimeoutSeconds: 2, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 30,
}

// TestInjectionCausesNoRollout applies one manifest in every way that people and
// tools do: the object is injected once and never moves again.
func TestInjectionCausesNoRollout(t *testing.T) {
	t.Parallel()
	for _, first := range [][]string{
		{"apply", "-f", "-"},
		{"apply", "--server-side", "--field-manager=argocd-controller", "-f", "-"},
		{"create", "-f", "-"},
	} {
		t.Run(strings.Join(first, " "), func(t *testing.T) {
			t.Parallel()
			s := newSpace(t, "probity.dev/mode=enforce")
			manifest := deployment("orders", asksItself)
			s.Must(manifest, first...)
			d := s.rolledOut()
			if diff := cmp.Diff(injectedProbe, d.Spec.Template.Spec.Containers[0].StartupProbe); diff != "" {
				t.Fatal(diff)
			}
			if got := d.Spec.Template.Annotations["probity.dev/injected"]; got != "startup:app" {
				t.Errorf("annotation is %q", got)
			}
			for range 2 {
				for _, again := range [][]string{
					{"apply", "-f", "-"},
					{"apply", "--server-side", "--force-conflicts", "-f", "-"},
					{"apply", "--server-side", "--force-conflicts", "--field-manager=argocd-controller", "-f", "-"},
					{"replace", "-f", "-"},
				} {
					s.Must(manifest, again...)
					now := s.orders()
					if diff := cmp.Diff(d.Spec, now.Spec); diff != "" {
						t.Fatalf("%s changed the spec:\n%s", strings.Join(again, " "), diff)
					}
					// A Deployment's annotations count too, and each tool brings or
					// removes kubectl's copy of the manifest.
					if now.Generation != d.Generation && cmp.Equal(now.Annotations, d.Annotations) {
						t.Fatalf("%s moved the generation from %d to %d", strings.Join(again, " "), d.Generation, now.Generation)
					}
					d = now
				}
			}
			sets, err := s.Client.AppsV1().ReplicaSets(s.Name).List(t.Context(), metav1.ListOptions{})
			if err != nil || len(sets.Items) != 1 {
				t.Errorf("%d ReplicaSets, %v", len(sets.Items), err)
			}
		})
	}
}

func TestInjectionWaitsForAChangeOfTheTemplate(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	s.Must(deployment("orders", asksItself), "apply", "-f", "-")
	before := s.rolledOut()
	s.Label("probity.dev/mode=enforce")

	s.Must("", "annotate", "deployment", "orders", "team=shop")
	s.Must("", "scale", "deployment", "orders", "--replicas=3")
	s.Must(strings.Replace(deployment("orders", asksItself), "replicas: 2", "replicas: 4", 1), "apply", "-f", "-")
	if diff := cmp.Diff(before.Spec.Template, s.orders().Spec.Template); diff != "" {
		t.Errorf("a change outside of the template changed it:\n%s", diff)
	}
	s.Must("", "rollout", "restart", "deployment", "orders")
	if s.orders().Spec.Template.Spec.Containers[0].StartupProbe == nil {
		t.Error("a restart, which rolls out anyway, brought no startup probe")
	}
}

func TestInjectionFollowsLabelsAndAnnotations(t *testing.T) {
	t.Parallel()
	annotated := func(annotation string) string {
		return strings.Replace(deployment("orders", asksItself), "metadata:\n  name: orders", "metadata:\n  name: orders\n  annotations: {"+annotation+"}", 1)
	}
	tests := []struct {
		name     string
		labels   []string
		manifest string
		want     int32 // failureThreshold; 0: no startup probe
	}{
		{"enforce injects", []string{"probity.dev/mode=enforce"}, annotated(""), 30},
		{"warn does not", []string{"probity.dev/mode=warn"}, annotated(""), 0},
		{"warn does where it is asked for", []string{"probity.dev/mode=warn", "probity.dev/inject=startup"}, annotated(""), 30},
		{"enforce does not where it is declined", []string{"probity.dev/mode=enforce", "probity.dev/inject=budget"}, annotated(""), 0},
		{"a workload declines", []string{"probity.dev/mode=enforce"}, annotated("probity.dev/inject: none"), 0},
		{"a workload asks", []string{"probity.dev/mode=audit"}, annotated("probity.dev/inject: all"), 30},
		{"a workload names its budget", []string{"probity.dev/mode=enforce"}, annotated("probity.dev/startup-budget: 10m"), 60},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSpace(t, tt.labels...)
			s.Must(tt.manifest, "apply", "-f", "-")
			got := int32(0)
			if p := s.orders().Spec.Template.Spec.Containers[0].StartupProbe; p != nil {
				got = p.FailureThreshold
			}
			if got != tt.want {
				t.Errorf("failureThreshold %d, want %d", got, tt.want)
			}
		})
	}
}

// TestEveryKind puts one faulty container into every built-in kind, and one good
// one: the first is refused, the second injected unless the kind is a Job's.
func TestEveryKind(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "probity.dev/mode=enforce")
	pod := func(container, restart string) string {
		return `{restartPolicy: ` + restart + `, containers: [{name: app, image: "app:1", ` + container + `}]}`
	}
	template := func(container, restart string) string {
		return `{metadata: {labels: {app: x}}, spec: ` + pod(container, restart) + `}`
	}
	kinds := []struct {
		version, kind, spec, probe string
		restart                    string
		injected                   bool
	}{
		{"v1", "Pod", "%POD%", "{.spec.containers[0].startupProbe}", "Always", true},
		{"v1", "ReplicationController", "{replicas: 0, template: %TEMPLATE%}", "{.spec.template.spec.containers[0].startupProbe}", "Always", true},
		{"apps/v1", "ReplicaSet", "{replicas: 0, selector: {matchLabels: {app: x}}, template: %TEMPLATE%}", "{.spec.template.spec.containers[0].startupProbe}", "Always", true},
		{"apps/v1", "Deployment", "{replicas: 0, selector: {matchLabels: {app: x}}, template: %TEMPLATE%}", "{.spec.template.spec.containers[0].startupProbe}", "Always", true},
		{"apps/v1", "StatefulSet", "{replicas: 0, serviceName: x, selector: {matchLabels: {app: x}}, template: %TEMPLATE%}", "{.spec.template.spec.containers[0].startupProbe}", "Always", true},
		{"apps/v1", "DaemonSet", "{selector: {matchLabels: {app: x}}, template: %TEMPLATE%}", "{.spec.template.spec.containers[0].startupProbe}", "Always", true},
		{"batch/v1", "Job", "{suspend: true, template: %TEMPLATE%}", "{.spec.template.spec.containers[0].startupProbe}", "Never", false},
		{"batch/v1", "CronJob", "{suspend: true, schedule: '0 0 1 1 *', jobTemplate: {spec: {template: %TEMPLATE%}}}", "{.spec.jobTemplate.spec.template.spec.containers[0].startupProbe}", "Never", false},
	}
	for _, k := range kinds {
		t.Run(k.kind, func(t *testing.T) {
			manifest := func(name, container string) string {
				spec := strings.NewReplacer("%POD%", pod(container, k.restart), "%TEMPLATE%", template(container, k.restart)).Replace(k.spec)
				return fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {%s}, spec: %s}", k.version, k.kind, name, spec)
			}
			_, stderr, err := s.Kubectl(manifest("name: bad", asksDatabase), "create", "-f", "-")
			if err == nil || !strings.Contains(stderr, databaseMessageOf(k.kind)) {
				t.Errorf("the faulty one: %v %s", err, stderr)
			}
			_, stderr, err = s.Kubectl(manifest("generateName: bad-", asksDatabase), "create", "--dry-run=server", "-f", "-")
			if err == nil || !strings.Contains(stderr, databaseMessageOf(k.kind)) {
				t.Errorf("with generateName, as a dry run: %v %s", err, stderr)
			}
			s.Must(manifest("name: good", asksItself), "create", "-f", "-")
			probe, _ := s.Must("", "get", k.kind, "good", "-o", "jsonpath="+k.probe)
			if (probe != "") != k.injected {
				t.Errorf("startup probe %q", probe)
			}
		})
	}
}

func TestNativeSidecarsAreJudgedAndInitContainersAreNot(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "probity.dev/mode=enforce")
	manifest := func(restart string) string {
		return strings.Replace(deployment("orders", asksItself), "      containers:",
			"      initContainers:\n      - {name: setup, image: setup}\n      - {name: proxy, image: proxy, restartPolicy: Always, "+restart+"}\n      containers:", 1)
	}
	_, stderr, err := s.Kubectl(manifest(asksDatabase), "apply", "-f", "-")
	if err == nil || !strings.Contains(stderr, strings.Replace(databaseMessage, `"app"`, `"proxy"`, 1)) {
		t.Errorf("got %v %s", err, stderr)
	}
	s.Must(manifest(asksItself), "apply", "-f", "-")
	spec := s.orders().Spec.Template.Spec
	if spec.InitContainers[0].StartupProbe != nil {
		t.Error("a plain init container has a startup probe")
	}
	for _, c := range []corev1.Container{spec.InitContainers[1], spec.Containers[0]} {
		if diff := cmp.Diff(injectedProbe, c.StartupProbe); diff != "" {
			t.Errorf("container %s: %s", c.Name, diff)
		}
	}
}

func TestDryRunChangesNothing(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "probity.dev/mode=enforce")
	out, _ := s.Must(deployment("orders", asksItself), "apply", "--dry-run=server", "-o", "jsonpath={.spec.template.spec.containers[0].startupProbe.failureThreshold}", "-f", "-")
	if out != "30" {
		t.Errorf("a dry run does not show the injection: %q", out)
	}
	if _, _, err := s.Kubectl("", "get", "deployment", "orders"); err == nil {
		t.Error("the Deployment exists")
	}
}
