package enforcement

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// controlled has a faulty workload of each kind whose controller makes pods that
// stay, and their pods.
func controlled() (manifests string, pods int) {
	const template = `
  template:
    metadata: {labels: {app: NAME}}
    spec:
      containers:
`
	kinds := []struct{ kind, apiVersion, name, spec string }{
		{"Deployment", "apps/v1", "deployed", "  replicas: 2\n  selector: {matchLabels: {app: NAME}}"},
		{"ReplicaSet", "apps/v1", "replicated", "  replicas: 1\n  selector: {matchLabels: {app: NAME}}"},
		{"StatefulSet", "apps/v1", "stateful", "  replicas: 2\n  serviceName: none\n  selector: {matchLabels: {app: NAME}}"},
		{"DaemonSet", "apps/v1", "daemon", "  selector: {matchLabels: {app: NAME}}"},
		{"ReplicationController", "v1", "old", "  replicas: 1\n  selector: {app: NAME}"},
	}
	for _, k := range kinds {
		text := "apiVersion: " + k.apiVersion + "\nkind: " + k.kind + "\nmetadata: {name: NAME}\nspec:\n" + k.spec + template + listed([]string{asksDatabase}) + "---\n"
		manifests += strings.ReplaceAll(text, "NAME", k.name)
	}
	return manifests, 2 + 1 + 2 + 3 + 1 // the DaemonSet has one on each node
}

// jobs are a Job and a CronJob that run later.
const jobs = `apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec:
  suspend: true
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: app, image: "registry.example/app:1", ` + asksDatabase + `}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: often}
spec:
  schedule: "* * * * *"
  suspend: true
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
          - {name: app, image: "registry.example/app:1", ` + asksDatabase + `}
`

// TestControllersAreNotHindered lets each built-in controller make pods from faulty
// templates under enforcement. It counts on every node, so no test runs beside it.
func TestControllersAreNotHindered(t *testing.T) {
	s := newSpace(t, "e2e")
	manifests, pods := controlled()
	s.Must(manifests, apply...)
	s.Eventually("the pods", func(context.Context) bool { return len(s.running()) == pods })
	s.enforce()
	before := s.running()
	s.Must("", "delete", "pods", "--now", "--wait=false", "--selector=app")
	s.Eventually("new pods in their place", func(context.Context) bool {
		now := s.running()
		fresh := 0
		for name, p := range now {
			if before[name].UID != p.UID && p.Labels["app"] != "" {
				fresh++
			}
		}
		return fresh == pods
	})
}

// TestJobsAreNotHindered takes up to a minute, until it is time for the CronJob.
func TestJobsAreNotHindered(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "e2e")
	s.Must(jobs, apply...)
	s.enforce()
	// The jobs' objects change here; what they make does not pass Probity.
	for _, job := range []string{"job/once", "cronjob/often"} {
		s.Must("", "patch", job, "--type=merge", "-p", `{"spec":{"suspend":false}}`)
	}
	s.Eventually("the pod of the Job, and one of the CronJob", func(ctx context.Context) bool {
		list, err := s.Client.CoreV1().Pods(s.Name).List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		made := map[string]bool{}
		for _, p := range list.Items {
			for _, job := range []string{"once", "often"} {
				if strings.HasPrefix(p.Labels["job-name"], job) {
					made[job] = true
				}
			}
		}
		return len(made) == 2
	})
}

// TestANodeIsLost with enforcement on and nothing but faulty workloads: everything
// comes back elsewhere.
func TestANodeIsLost(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "e2e")
	s.Must(strings.Replace(deployment("orders", "", asksDatabase), "replicas: 2", "replicas: 6", 1), apply...)
	stateful := strings.NewReplacer("kind: Deployment", "kind: StatefulSet", "replicas: 2", "replicas: 3\n  serviceName: none\n  podManagementPolicy: Parallel").
		Replace(deployment("ledger", "", asksDatabase))
	s.Must(stateful, apply...)
	s.Eventually("nine pods", func(context.Context) bool { return len(s.running()) == 9 })
	s.enforce()

	lost, there := "", s.running()
	for _, p := range there {
		lost = max(lost, p.Spec.NodeName)
	}
	node, err := s.Client.CoreV1().Nodes().Get(t.Context(), lost, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Client.CoreV1().Nodes().Delete(t.Context(), lost, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		again := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: lost, Labels: node.Labels}}
		_, _ = s.Client.CoreV1().Nodes().Create(context.Background(), again, metav1.CreateOptions{})
	})
	onLost := 0
	for _, p := range there {
		if p.Spec.NodeName == lost {
			onLost++
		}
	}
	if onLost == 0 {
		t.Fatal("no pod was on the lost node")
	}
	s.Eventually("nine pods on the nodes that are left", func(context.Context) bool {
		now := s.running()
		for _, p := range now {
			if p.Spec.NodeName == lost {
				return false
			}
		}
		return len(now) == 9
	})
}

// TestAnAutoscalerScales a faulty Deployment under enforcement. Without metrics it
// keeps to its minimum.
func TestAnAutoscalerScales(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "e2e")
	s.Must(deployment("orders", "", asksDatabase), apply...)
	s.Eventually("two pods", func(context.Context) bool { return len(s.running()) == 2 })
	s.enforce()
	least := int32(5)
	hpa := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: "orders"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "orders"},
			MinReplicas:    &least, MaxReplicas: 8,
		},
	}
	if _, err := s.Client.AutoscalingV2().HorizontalPodAutoscalers(s.Name).Create(t.Context(), hpa, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	s.Eventually("the autoscaler's minimum", func(context.Context) bool { return len(s.running()) == 5 })
	if warnings := s.warned("", "scale", "deployment/orders", "--replicas=7"); warnings != "" {
		t.Errorf("kubectl scale warns: %s", warnings)
	}
	s.Eventually("what a person scales to", func(context.Context) bool { return len(s.running()) == 7 })
}

const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.ops.example}
spec:
  group: ops.example
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// TestAnOperatorMakesPods of a custom kind that Probity knows nothing of. Its service
// account is not hindered; a person who claims the same owner is.
func TestAnOperatorMakesPods(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "e2e")
	s.Admin(widgets, apply...)
	s.Admin("", "wait", "--for=condition=Established", "crd/widgets.ops.example", "--timeout=1m")
	s.enforce()
	widget := "{apiVersion: ops.example/v1, kind: Widget, metadata: {name: gears, namespace: " + s.Name + "}}"
	s.Eventually("the Widget", func(context.Context) bool { // the API server serves the kind a moment later
		_, _, err := s.KubectlAs(s.Administrator, widget, apply...)
		return err == nil
	})
	uid, _ := s.Admin("", "get", "widget", "gears", "-o", "jsonpath={.metadata.uid}")
	pod := fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata:
  name: gears-0
  ownerReferences: [{apiVersion: ops.example/v1, kind: Widget, name: gears, uid: %s, controller: true}]
spec:
  containers:
  - {name: app, image: "registry.example/app:1", %s}
`, uid, asksDatabase)
	s.refused(pod, []string{"create", "-f", "-"}, rule)
	if _, stderr, err := s.KubectlAs(s.Account("operator"), pod, "create", "-f", "-"); err != nil || !strings.Contains(stderr, warning) {
		t.Fatalf("the operator: %v %s", err, stderr)
	}
	s.Eventually("the operator's pod", func(context.Context) bool {
		return slices.Contains(slices.Collect(maps.Keys(s.running())), "gears-0")
	})
}
