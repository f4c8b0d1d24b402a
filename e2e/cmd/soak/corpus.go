package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/probity-dev/probity/e2e/measure"
)

// fixtures, in the repository, are the objects that the rules are tested with.
const fixtures = "validate/testdata/*/*.yaml"

// largeContainers make the large object: 200 KB of it.
const largeContainers = 60

// object is one that is sent, over and over.
type object struct {
	name     string
	resource schema.GroupVersionResource
	content  *unstructured.Unstructured
}

// resources are those of the kinds that are sent.
func resources() map[schema.GroupVersionKind]string {
	return map[schema.GroupVersionKind]string{
		{Version: "v1", Kind: "Pod"}:                                           "pods",
		{Version: "v1", Kind: "ReplicationController"}:                         "replicationcontrollers",
		{Group: "apps", Version: "v1", Kind: "ReplicaSet"}:                     "replicasets",
		{Group: "apps", Version: "v1", Kind: "Deployment"}:                     "deployments",
		{Group: "apps", Version: "v1", Kind: "StatefulSet"}:                    "statefulsets",
		{Group: "apps", Version: "v1", Kind: "DaemonSet"}:                      "daemonsets",
		{Group: "batch", Version: "v1", Kind: "Job"}:                           "jobs",
		{Group: "batch", Version: "v1", Kind: "CronJob"}:                       "cronjobs",
		{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"}:          "poddisruptionbudgets",
		{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}: "horizontalpodautoscalers",
	}
}

// corpus returns all objects that are sent: the fixtures, and each kind with pods in
// several sizes.
func corpus(repository string) ([]object, error) {
	made, err := everyKind(repository)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(repository, filepath.FromSlash(fixtures)))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		read, err := readObjects(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		made = append(made, read...)
	}
	return made, nil
}

// readObjects reads a file, and passes over kinds that a cluster may not have.
func readObjects(file string) ([]object, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []object
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var content map[string]any
		err := decoder.Decode(&content)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if o, ok := sent(filepath.Join(filepath.Base(filepath.Dir(file)), filepath.Base(file)), &unstructured.Unstructured{Object: content}); ok {
			all = append(all, o)
		}
	}
}

func sent(name string, content *unstructured.Unstructured) (object, bool) {
	gvk := content.GroupVersionKind()
	plural, ok := resources()[gvk]
	if !ok {
		return object{}, false
	}
	content.SetNamespace("")
	return object{name, gvk.GroupVersion().WithResource(plural), content}, true
}

// everyKind returns an object of each kind with pods, for each of some pods.
func everyKind(repository string) ([]object, error) {
	pods, err := somePods(repository)
	if err != nil {
		return nil, err
	}
	var all []object
	for size, pod := range pods {
		for kind := range resources() {
			content, err := wrap(kind, pod)
			if err != nil {
				return nil, err
			}
			if content == nil {
				continue // It holds no pods.
			}
			o, _ := sent(fmt.Sprintf("%s with %s", kind.Kind, size), content)
			all = append(all, o)
		}
	}
	return all, nil
}

// somePods are of several sizes, at fault and not, by what they are told by.
func somePods(repository string) (map[string]corev1.PodTemplateSpec, error) {
	d, err := measure.Deployment(repository)
	if err != nil {
		return nil, err
	}
	usual := d.Spec.Template
	// Pods of an account that does not exist are refused.
	usual.Spec.ServiceAccountName, usual.Spec.DeprecatedServiceAccount = "", ""
	lacking, faulty, large := *usual.DeepCopy(), *usual.DeepCopy(), *usual.DeepCopy()
	for i := range lacking.Spec.Containers {
		lacking.Spec.Containers[i].StartupProbe = nil
	}
	faulty.Spec.Containers[0].LivenessProbe.HTTPGet.Path = "/health/db"
	large.Spec.Containers = nil
	for i := range largeContainers {
		c := usual.Spec.Containers[i%len(usual.Spec.Containers)].DeepCopy()
		c.Name = fmt.Sprintf("%s-%d", c.Name, i)
		c.Env = append(c.Env, corev1.EnvVar{Name: "SETTINGS", Value: strings.Repeat("setting=value ", 150)})
		large.Spec.Containers = append(large.Spec.Containers, *c)
	}
	return map[string]corev1.PodTemplateSpec{
		"pods": usual, "pods without startup probes": lacking, "pods at fault": faulty, "large pods": large,
	}, nil
}

// wrap returns an object of a kind with the pod template; nil when the kind has none.
func wrap(kind schema.GroupVersionKind, pod corev1.PodTemplateSpec) (*unstructured.Unstructured, error) {
	switch kind.Kind {
	case "Pod", "Job", "CronJob":
		pod.Spec.RestartPolicy = corev1.RestartPolicyOnFailure
	}
	template, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&pod)
	if err != nil {
		return nil, err
	}
	labels, selector := map[string]any{}, map[string]any{}
	for key, value := range pod.Labels {
		labels[key], selector[key] = value, value
	}
	spec := map[string]any{"template": template}
	switch kind.Kind {
	case "Pod":
		spec = template["spec"].(map[string]any)
	case "Job":
	case "CronJob":
		spec = map[string]any{"schedule": "0 4 * * *", "jobTemplate": map[string]any{"spec": spec}}
	case "ReplicationController":
		spec["replicas"], spec["selector"] = int64(2), selector
	case "ReplicaSet", "Deployment", "StatefulSet":
		spec["replicas"], spec["selector"] = int64(2), map[string]any{"matchLabels": selector}
	case "DaemonSet":
		spec["selector"] = map[string]any{"matchLabels": selector}
	default:
		return nil, nil
	}
	content := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"name": "sent", "labels": labels}, "spec": spec}}
	content.SetGroupVersionKind(kind)
	return content, nil
}
