package workload

import (
	"fmt"
	"slices"
	"strings"
)

// Kinds knows which kinds hold a pod template, and where. It is immutable.
type Kinds struct {
	layouts map[groupKind]layout
	custom  []CustomKind
}

// CustomKind is a custom resource that holds a pod template.
type CustomKind struct {
	Group string
	Kind  string
	// TemplatePath is the field path of the pod template, the parent of its
	// metadata and spec: "spec.template".
	TemplatePath string
}

type groupKind struct{ group, kind string }

// layout says where a kind keeps its pod template.
type layout struct {
	form form
	// template holds the members that lead to the pod template.
	template []string
	// podPath is the field path of the pod spec.
	podPath string
	custom  bool
}

type form uint8

const (
	formPod form = iota
	formTemplate
	formCronJob
	formCustom
	formBudget
	formAutoscaler
	formNamespace
)

// Rollouts are configured from the start: Argo Rollouts' Rollout keeps its
// template where a Deployment does.
var defaultCustomKinds = []CustomKind{{Group: "argoproj.io", Kind: "Rollout", TemplatePath: "spec.template"}}

// NewKinds returns the built-in kinds, Argo Rollouts, and those given. It fails
// on a kind without a name or with a path that is not made of plain members.
func NewKinds(custom ...CustomKind) (*Kinds, error) {
	k := &Kinds{layouts: map[groupKind]layout{
		{"", "Pod"}:                                {form: formPod, podPath: "spec"},
		{"", "ReplicationController"}:              templateLayout,
		{"apps", "ReplicaSet"}:                     templateLayout,
		{"apps", "Deployment"}:                     templateLayout,
		{"apps", "StatefulSet"}:                    templateLayout,
		{"apps", "DaemonSet"}:                      templateLayout,
		{"extensions", "Deployment"}:               templateLayout, // until Kubernetes 1.15; many files still say so
		{"extensions", "DaemonSet"}:                templateLayout,
		{"extensions", "ReplicaSet"}:               templateLayout,
		{"batch", "Job"}:                           templateLayout,
		{"batch", "CronJob"}:                       {form: formCronJob, podPath: "spec.jobTemplate.spec.template.spec"},
		{"policy", "PodDisruptionBudget"}:          {form: formBudget},
		{"autoscaling", "HorizontalPodAutoscaler"}: {form: formAutoscaler},
		{"keda.sh", "ScaledObject"}:                {form: formAutoscaler},
		{"", "Namespace"}:                          {form: formNamespace},
	}}
	k.custom = slices.Concat(defaultCustomKinds, custom)
	for _, c := range k.custom {
		l, err := c.layout()
		if err != nil {
			return nil, err
		}
		k.layouts[groupKind{c.Group, c.Kind}] = l
	}
	return k, nil
}

// DefaultKinds returns the built-in kinds and Argo Rollouts.
func DefaultKinds() *Kinds {
	k, err := NewKinds()
	if err != nil {
		panic(err) // unreachable: defaultCustomKinds is legal
	}
	return k
}

var templateLayout = layout{form: formTemplate, podPath: "spec.template.spec"}

func (c CustomKind) layout() (layout, error) {
	if c.Group == "" || c.Kind == "" {
		return layout{}, fmt.Errorf("custom kind %q of group %q: both group and kind are required", c.Kind, c.Group)
	}
	members := strings.Split(c.TemplatePath, ".")
	for _, m := range members {
		if m == "" || strings.ContainsAny(m, "[]/~ ") {
			return layout{}, fmt.Errorf("custom kind %s.%s: template path %q must be member names joined by dots, such as spec.template", c.Kind, c.Group, c.TemplatePath)
		}
	}
	if c.TemplatePath == "spec.template" {
		l := templateLayout
		l.custom = true
		return l, nil
	}
	return layout{form: formCustom, template: members, podPath: c.TemplatePath + ".spec", custom: true}, nil
}

// Custom returns the custom kinds, Argo Rollouts first.
func (k *Kinds) Custom() []CustomKind { return slices.Clone(k.custom) }

// Judged reports whether objects of that apiVersion and kind are read at all.
// Any version of a known group counts: fields that moved are simply absent.
func (k *Kinds) Judged(apiVersion, kind string) bool {
	_, ok := k.layouts[groupKind{group(apiVersion), kind}]
	return ok
}

// group returns the group of an apiVersion: "apps" of "apps/v1", "" of "v1".
func group(apiVersion string) string {
	g, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return ""
	}
	return g
}
