package disruption

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/probity-dev/probity/workload"
)

// namespace is one random case: what a cluster holds, and what Probity reads.
type namespace struct {
	t      *testing.T
	random *rand.Rand
	kinds  *workload.Kinds
	name   string

	// cluster is what the controller sees.
	cluster []runtime.Object
	// objects are what a user wrote, as Probity decodes it.
	objects []*workload.Object
	// pods counts those of each workload.
	pods    map[string]int32
	budgets int
	// scales are those of custom resources.
	scales map[string]scale
	// passing are the workloads whose pods come and go.
	passing map[string]bool
}

type scale struct {
	uid      types.UID
	replicas int32
}

// newNamespace makes up workloads, their pods, all ready, and budgets.
func newNamespace(t *testing.T, random *rand.Rand, kinds *workload.Kinds, name string) *namespace {
	t.Helper()
	n := &namespace{t: t, random: random, kinds: kinds, name: name, pods: map[string]int32{}, scales: map[string]scale{}, passing: map[string]bool{}}
	for i := range 1 + random.IntN(4) {
		n.addWorkload("w" + strconv.Itoa(i))
	}
	for i := range 1 + random.IntN(3) {
		n.addBudget("b" + strconv.Itoa(i))
	}
	return n
}

func (n *namespace) pick(of ...string) string { return of[n.random.IntN(len(of))] }

func (n *namespace) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: n.name, UID: types.UID(n.name + "-" + name), Generation: 1}
}

// write keeps what a user writes, and reads it as Probity does.
func (n *namespace) write(apiVersion, kind string, object any) *workload.Object {
	n.t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		n.t.Fatal(err)
	}
	o, err := n.kinds.DecodeAs(text, apiVersion, kind)
	if err != nil {
		n.t.Fatalf("%v in %s", err, text)
	}
	n.objects = append(n.objects, o)
	return o
}

// some are labels that budgets ask for.
func (n *namespace) some() map[string]string {
	labels := map[string]string{"app": n.pick("x", "x", "y")}
	if n.random.IntN(2) == 0 {
		labels["tier"] = n.pick("web", "db")
	}
	return labels
}

func (n *namespace) addWorkload(name string) {
	replicas := int32(n.random.IntN(12))
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: n.some()},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app"}}},
	}
	meta, selector := n.meta(name), &metav1.LabelSelector{MatchLabels: template.Labels}
	hash := map[string]string{"pod-template-hash": "7d5bf"}
	switch kind := n.pick("Deployment", "Deployment", "StatefulSet", "StatefulSet", "ReplicaSet", "ReplicationController", "Rollout", "Game", "Pod", "DaemonSet", "Job"); kind {
	case "Deployment":
		d := &appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Replicas: &replicas, Selector: selector, Template: template}}
		n.cluster = append(n.cluster, d)
		n.write("apps/v1", kind, d)
		n.addPods(kind+"/"+name, n.replicaSet(name+"-7d5bf", "apps/v1", kind, meta, d.Spec), replicas, template.Labels, hash)
	case "Rollout":
		spec := appsv1.DeploymentSpec{Replicas: &replicas, Selector: selector, Template: template}
		n.write("argoproj.io/v1alpha1", kind, map[string]any{"metadata": meta, "spec": spec})
		n.addPods(kind+"/"+name, n.replicaSet(name+"-7d5bf", "argoproj.io/v1alpha1", kind, meta, spec), replicas, template.Labels, map[string]string{"rollouts-pod-template-hash": "7d5bf"})
	case "ReplicaSet":
		rs := &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: &replicas, Selector: selector, Template: template}}
		n.cluster = append(n.cluster, rs)
		n.write("apps/v1", kind, rs)
		n.addPods(kind+"/"+name, controller("apps/v1", kind, meta), replicas, template.Labels, nil)
	case "StatefulSet":
		s := &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Replicas: &replicas, Selector: selector, Template: template}}
		n.cluster = append(n.cluster, s)
		n.write("apps/v1", kind, s)
		n.addPods(kind+"/"+name, controller("apps/v1", kind, meta), replicas, template.Labels, map[string]string{"controller-revision-hash": "r", "apps.kubernetes.io/pod-index": "0"})
	case "ReplicationController":
		rc := &corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{Replicas: &replicas, Selector: template.Labels, Template: &template}}
		n.cluster = append(n.cluster, rc)
		n.write("v1", kind, rc)
		n.addPods(kind+"/"+name, controller("v1", kind, meta), replicas, template.Labels, nil)
	case "Game": // a custom resource with a scale subresource, whose pods are its own
		n.write("example.com/v1", kind, map[string]any{"metadata": meta, "spec": map[string]any{"replicas": replicas, "template": template}})
		n.scales[name] = scale{meta.UID, replicas}
		n.addPods(kind+"/"+name, controller("example.com/v1", kind, meta), replicas, template.Labels, nil)
	case "DaemonSet":
		d := &appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Selector: selector, Template: template}}
		n.write("apps/v1", kind, d)
		n.addPods(kind+"/"+name, controller("apps/v1", kind, meta), 1+replicas, template.Labels, map[string]string{"controller-revision-hash": "r", "pod-template-generation": "1"})
	case "Job":
		j := &batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Template: template}}
		n.write("batch/v1", kind, j)
		n.passing[kind+"/"+name] = true
		n.addPods(kind+"/"+name, controller("batch/v1", kind, meta), 1+replicas, template.Labels,
			map[string]string{"job-name": name, "batch.kubernetes.io/job-name": name, "controller-uid": "u", "batch.kubernetes.io/controller-uid": "u"})
	case "Pod":
		meta.Labels = template.Labels
		pod := &corev1.Pod{ObjectMeta: meta, Spec: template.Spec, Status: ready}
		n.cluster = append(n.cluster, pod)
		n.write("v1", kind, pod)
		n.pods[kind+"/"+name] = 1
	}
}

// replicaSet makes the one that a Deployment or a Rollout has, and returns it as a
// controller of pods.
func (n *namespace) replicaSet(name, apiVersion, kind string, of metav1.ObjectMeta, spec appsv1.DeploymentSpec) *metav1.OwnerReference {
	meta := n.meta(name)
	meta.OwnerReferences = []metav1.OwnerReference{*controller(apiVersion, kind, of)}
	n.cluster = append(n.cluster, &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Replicas: spec.Replicas, Selector: spec.Selector, Template: spec.Template}})
	return controller("apps/v1", "ReplicaSet", meta)
}

func controller(apiVersion, kind string, of metav1.ObjectMeta) *metav1.OwnerReference {
	yes := true
	return &metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: of.Name, UID: of.UID, Controller: &yes}
}

var ready = corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}}

func (n *namespace) addPods(key string, owner *metav1.OwnerReference, count int32, labels, added map[string]string) {
	all := map[string]string{}
	for _, m := range []map[string]string{labels, added} {
		for k, v := range m {
			all[k] = v
		}
	}
	for i := range count {
		meta := n.meta(owner.Name + "-" + strconv.Itoa(int(i)))
		meta.Labels, meta.OwnerReferences = all, []metav1.OwnerReference{*owner}
		n.cluster = append(n.cluster, &corev1.Pod{ObjectMeta: meta, Status: ready})
	}
	n.pods[key] = count
}

func (n *namespace) addBudget(name string) {
	b := &policyv1.PodDisruptionBudget{ObjectMeta: n.meta(name), Spec: policyv1.PodDisruptionBudgetSpec{Selector: n.selector()}}
	switch n.random.IntN(9) {
	case 0: // neither
	case 1, 2, 3, 4:
		b.Spec.MinAvailable = n.value()
	default:
		b.Spec.MaxUnavailable = n.value()
	}
	n.budgets++
	n.cluster = append(n.cluster, b)
	n.write("policy/v1", "PodDisruptionBudget", b)
}

func (n *namespace) value() *intstr.IntOrString {
	v := intstr.FromInt32(int32(n.random.IntN(14)))
	if n.random.IntN(2) == 0 {
		v = intstr.FromString(strconv.Itoa(n.random.IntN(101)) + "%")
	}
	return &v
}

// selector asks for labels of templates, for such that controllers write, for
// nothing, or for everything.
func (n *namespace) selector() *metav1.LabelSelector {
	if n.random.IntN(30) == 0 {
		return nil
	}
	s := &metav1.LabelSelector{}
	if n.random.IntN(4) > 0 {
		s.MatchLabels = n.some()
	}
	for range max(0, n.random.IntN(5)-2) {
		r := metav1.LabelSelectorRequirement{
			Key:      n.pick("app", "tier", "none", "pod-template-hash", "batch.kubernetes.io/job-name", "controller-revision-hash"),
			Operator: metav1.LabelSelectorOperator(n.pick("In", "NotIn", "Exists", "DoesNotExist")),
		}
		if r.Operator == metav1.LabelSelectorOpIn || r.Operator == metav1.LabelSelectorOpNotIn {
			r.Key = n.pick("app", "tier", "none", "job-name")
			r.Values = []string{n.pick("x", "web", "w1"), n.pick("y", "db", "w2")}
		}
		s.MatchExpressions = append(s.MatchExpressions, r)
	}
	return s
}

// String shows the case.
func (n *namespace) String() string {
	text := ""
	for _, o := range n.objects {
		switch {
		case o.Workload != nil:
			text += fmt.Sprintf("%s %s: %d pods, labels %v\n", o.Ref.Kind, o.Ref.Name, n.pods[o.Ref.Kind+"/"+o.Ref.Name], o.Workload.Pod.Labels)
		case o.Budget != nil:
			text += fmt.Sprintf("%s %s: minAvailable %v, maxUnavailable %v, selector %+v\n", o.Ref.Kind, o.Ref.Name, o.Budget.MinAvailable, o.Budget.MaxUnavailable, o.Budget.Selector)
		}
	}
	return text
}
