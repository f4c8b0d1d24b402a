package workload

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The types of this file mirror the API's JSON and hold only what rules read.

type metadata struct {
	Name              string            `json:"name"`
	GenerateName      string            `json:"generateName"`
	Namespace         string            `json:"namespace"`
	Labels            map[string]string `json:"labels"`
	Annotations       Annotations       `json:"annotations"`
	OwnerReferences   []Owner           `json:"ownerReferences"`
	DeletionTimestamp present           `json:"deletionTimestamp"`
	ManagedFields     skipped           `json:"managedFields"`
}

func (m *metadata) ref(apiVersion, kind string) Ref {
	name := m.Name
	if name == "" && m.GenerateName != "" {
		name = m.GenerateName + "*"
	}
	return Ref{APIVersion: apiVersion, Kind: kind, Namespace: m.Namespace, Name: name}
}

func (m *metadata) controller() *Owner {
	for i := range m.OwnerReferences {
		if m.OwnerReferences[i].Controller {
			return &m.OwnerReferences[i]
		}
	}
	return nil
}

// present is true for any value but null.
type present bool

func (p *present) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*p = dec.PeekKind() != 'n'
	return dec.SkipValue()
}

// skipped passes over a large value as a whole, which is faster than the token by
// token of an unknown member: managedFields are half of what an API server sends.
type skipped struct{}

func (*skipped) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	_, err := dec.ReadValue()
	return err
}

// templateMetadata is what templates have of metadata.
type templateMetadata struct {
	Labels      map[string]string `json:"labels"`
	Annotations Annotations       `json:"annotations"`
}

type podTemplate struct {
	Metadata templateMetadata `json:"metadata"`
	Spec     podSpec          `json:"spec"`
}

type podSpec struct {
	Containers     []Container `json:"containers"`
	InitContainers []Container `json:"initContainers"`
	HostNetwork    bool        `json:"hostNetwork"`
	OS             struct {
		Name string `json:"name"`
	} `json:"os"`
	NodeSelector      map[string]string `json:"nodeSelector"`
	RestartPolicy     string            `json:"restartPolicy"`
	Hostname          string            `json:"hostname"`
	RuntimeClassName  string            `json:"runtimeClassName"`
	PriorityClassName string            `json:"priorityClassName"`
	GracePeriod       *int64            `json:"terminationGracePeriodSeconds"`
	ReadinessGates    []struct{}        `json:"readinessGates"`
}

// pod turns the template into the model: probed containers only, defaults
// applied.
func (t *podTemplate) pod(path string) Pod {
	s := &t.Spec
	p := Pod{
		Path: path, Labels: t.Metadata.Labels, Annotations: t.Metadata.Annotations,
		HostNetwork: s.HostNetwork, Windows: s.OS.Name == "windows" || s.NodeSelector["kubernetes.io/os"] == "windows",
		RestartPolicy: s.RestartPolicy, Hostname: s.Hostname, RuntimeClassName: s.RuntimeClassName,
		PriorityClassName: s.PriorityClassName, GracePeriod: s.GracePeriod, ReadinessGates: len(s.ReadinessGates),
		Containers: s.Containers,
	}
	for i := range p.Containers {
		p.Containers[i].Index = i
	}
	for i := range s.InitContainers {
		if s.InitContainers[i].RestartPolicy != "Always" {
			continue
		}
		c := s.InitContainers[i]
		c.Index, c.Sidecar = i, true
		p.Containers = append(p.Containers, c)
	}
	for i := range p.Containers {
		c := &p.Containers[i]
		for _, t := range ProbeTypes {
			if probe := c.Probe(t); probe != nil {
				*probe = probe.Defaulted()
			}
		}
	}
	return p
}

type podObject struct {
	Metadata metadata `json:"metadata"`
	Spec     podSpec  `json:"spec"`
}

func (o *podObject) object(apiVersion, kind string, l layout) *Object {
	t := podTemplate{Spec: o.Spec}
	t.Metadata.Labels, t.Metadata.Annotations = o.Metadata.Labels, o.Metadata.Annotations
	return workloadObject(&o.Metadata, apiVersion, kind, &t, l, Workload{})
}

type templateObject struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		scale
		Template *podTemplate `json:"template"`
	} `json:"spec"`
}

// scale is what workloads with replicas share.
type scale struct {
	Replicas                *int32    `json:"replicas"`
	Selector                *Selector `json:"selector"`
	ServiceName             string    `json:"serviceName"`
	Paused                  bool      `json:"paused"`
	ProgressDeadlineSeconds *int32    `json:"progressDeadlineSeconds"`
	Strategy                strategy  `json:"strategy"`
	UpdateStrategy          strategy  `json:"updateStrategy"`
}

type strategy struct {
	Type          string `json:"type"`
	RollingUpdate struct {
		MaxUnavailable *IntOrPercent `json:"maxUnavailable"`
		MaxSurge       *IntOrPercent `json:"maxSurge"`
	} `json:"rollingUpdate"`
}

func (s *scale) workload() Workload {
	update := s.Strategy
	if update == (strategy{}) {
		// Not by the type alone: a manifest may leave it to the default.
		update = s.UpdateStrategy
	}
	return Workload{
		Replicas: s.Replicas, Selector: s.Selector, ServiceName: s.ServiceName,
		Rollout: Rollout{
			Type: update.Type, MaxUnavailable: update.RollingUpdate.MaxUnavailable, MaxSurge: update.RollingUpdate.MaxSurge,
			ProgressDeadlineSeconds: s.ProgressDeadlineSeconds, Paused: s.Paused,
		},
	}
}

func (o *templateObject) object(apiVersion, kind string, l layout) *Object {
	return workloadObject(&o.Metadata, apiVersion, kind, o.Spec.Template, l, o.Spec.workload())
}

type cronJobObject struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		JobTemplate struct {
			Metadata templateMetadata `json:"metadata"`
			Spec     struct {
				Template *podTemplate `json:"template"`
			} `json:"spec"`
		} `json:"jobTemplate"`
	} `json:"spec"`
}

func (o *cronJobObject) object(apiVersion, kind string, l layout) *Object {
	job := &o.Spec.JobTemplate
	return workloadObject(&o.Metadata, apiVersion, kind, job.Spec.Template, l, Workload{JobLabels: job.Metadata.Labels, JobAnnotations: job.Metadata.Annotations})
}

// customObject reads a pod template at a configured path.
type customObject struct {
	template []string

	metadata metadata
	pod      *podTemplate
}

func (o *customObject) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return o.member(dec, o.template, true)
}

// member reads an object and follows path into it; at the root it reads
// metadata too.
func (o *customObject) member(dec *jsontext.Decoder, path []string, root bool) error {
	if dec.PeekKind() != '{' {
		return dec.SkipValue()
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		switch n := name.String(); {
		case root && n == "metadata":
			err = json.UnmarshalDecode(dec, &o.metadata)
		case n == path[0] && len(path) == 1:
			err = json.UnmarshalDecode(dec, &o.pod)
		case n == path[0]:
			err = o.member(dec, path[1:], false)
		default:
			err = dec.SkipValue()
		}
		if err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func (o *customObject) object(apiVersion, kind string, l layout) *Object {
	return workloadObject(&o.metadata, apiVersion, kind, o.pod, l, Workload{})
}

func workloadObject(m *metadata, apiVersion, kind string, t *podTemplate, l layout, w Workload) *Object {
	obj := &Object{Ref: m.ref(apiVersion, kind)}
	if t == nil {
		return obj
	}
	w.Ref, w.Labels, w.Annotations = obj.Ref, m.Labels, m.Annotations
	w.Controller, w.Deleting = m.controller(), bool(m.DeletionTimestamp)
	w.Problems = append(t.Spec.initProblems(l.podPath), t.Spec.boundProblems(l.podPath)...)
	w.Pod = t.pod(l.podPath)
	obj.Workload = &w
	return obj
}

type namespaceObject struct {
	Metadata metadata `json:"metadata"`
}

func (o *namespaceObject) object(apiVersion, kind string, _ layout) *Object {
	ref := o.Metadata.ref(apiVersion, kind)
	return &Object{Ref: ref, Namespace: &Namespace{Ref: ref, Labels: o.Metadata.Labels, Annotations: o.Metadata.Annotations}}
}
