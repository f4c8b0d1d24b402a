// Package workload decodes any Kubernetes object that holds a pod template into
// one small model: what the rules read, and nothing else. It knows the API's
// defaults and the kubelet's timing as pure functions. It talks to no cluster.
package workload

import (
	"math"
	"strconv"
)

// Ref names an object.
type Ref struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitzero"`
	// Name is metadata.name; for an object that the API server has yet to
	// name it is metadata.generateName with a "*" behind it.
	Name string `json:"name"`
}

// String gives "Deployment shop/orders", the form of messages and logs.
func (r Ref) String() string {
	if r.Namespace == "" {
		return r.Kind + " " + r.Name
	}
	return r.Kind + " " + r.Namespace + "/" + r.Name
}

// Object is one decoded API object. At most one of Workload, Budget, Autoscaler
// and Namespace is set; all are nil for a kind that Probity does not judge and for
// a workload without a template of its own (a Rollout with workloadRef).
type Object struct {
	Ref        Ref
	Workload   *Workload
	Budget     *Budget
	Autoscaler *Autoscaler
	Namespace  *Namespace
}

// SetNamespace says where the object is, for one that arrives without.
func (o *Object) SetNamespace(name string) {
	o.Ref.Namespace = name
	switch {
	case o.Workload != nil:
		o.Workload.Ref.Namespace = name
	case o.Budget != nil:
		o.Budget.Ref.Namespace = name
	case o.Autoscaler != nil:
		o.Autoscaler.Ref.Namespace, o.Autoscaler.Target.Namespace = name, name
	}
}

// Problems are what is not legal in the object.
func (o *Object) Problems() []Problem {
	switch {
	case o.Workload != nil:
		return o.Workload.Problems
	case o.Budget != nil:
		return o.Budget.Problems
	default:
		return nil
	}
}

// Namespace is what Probity reads of a namespace: its labels. Annotations are there to
// tell those who mistake them for labels.
type Namespace struct {
	Ref         Ref
	Labels      map[string]string
	Annotations Annotations
}

// Workload is an object that holds a pod template, or a bare Pod.
type Workload struct {
	Ref         Ref
	Labels      map[string]string
	Annotations Annotations
	// Controller is the owner reference with controller: true, or nil.
	Controller *Owner
	// Deleting is set once the object has a deletionTimestamp.
	Deleting bool

	// Replicas is spec.replicas; nil means absent: the API's default of one,
	// or an autoscaler's choice.
	Replicas *int32
	// Selector is nil where the kind has none (Pod) or it is left out (Job).
	Selector *Selector
	// Rollout holds the update strategy of a Deployment, StatefulSet or
	// DaemonSet.
	Rollout Rollout
	// ServiceName is a StatefulSet's spec.serviceName.
	ServiceName string
	// JobLabels and JobAnnotations are those of a CronJob's spec.jobTemplate, which
	// its Jobs get. No rule reads them.
	JobLabels      map[string]string
	JobAnnotations Annotations

	Pod Pod

	// Problems are fields that the API server would refuse, or that Probity
	// could not read. Rules do not judge the probes they name.
	Problems []Problem
}

// Pod is the pod template of a workload, or the Pod itself.
type Pod struct {
	// Path is the field path of the pod spec: "spec.template.spec", or "spec"
	// for a Pod.
	Path        string
	Labels      map[string]string
	Annotations Annotations
	HostNetwork bool
	// Windows is set by spec.os.name or by the node selector kubernetes.io/os.
	Windows           bool
	RestartPolicy     string
	Hostname          string
	RuntimeClassName  string
	GracePeriod       *int64 // terminationGracePeriodSeconds; nil: 30 s
	ReadinessGates    int
	PriorityClassName string
	// Containers are the probed containers: regular ones, then native
	// sidecars. Plain init containers and ephemeral ones cannot carry probes
	// and are not here: those of an init container are Problems.
	Containers []Container
}

// ContainerPath returns the field path of a container of this pod:
// "spec.template.spec.containers[0]".
func (p *Pod) ContainerPath(c *Container) string {
	list := ".containers["
	if c.Sidecar {
		list = ".initContainers["
	}
	return p.Path + list + strconv.Itoa(c.Index) + "]"
}

// Container is one probed container.
type Container struct {
	Name    string          `json:"name"`
	Image   string          `json:"image"`
	Command []string        `json:"command"`
	Args    []string        `json:"args"`
	Ports   []ContainerPort `json:"ports"`

	// Env and EnvFrom are read only where a probe runs a command, which is what
	// they matter to.
	Env     []EnvVar  `json:"-"`
	EnvFrom []EnvFrom `json:"-"`
	// RawEnv and RawEnvFrom are empty once decoding has ended.
	RawEnv     later `json:"env"`
	RawEnvFrom later `json:"envFrom"`

	Liveness  *Probe `json:"livenessProbe"`
	Readiness *Probe `json:"readinessProbe"`
	Startup   *Probe `json:"startupProbe"`

	// Lifecycle is set where there are hooks, of any kind.
	Lifecycle present `json:"lifecycle"`

	// RestartPolicy is Always on a native sidecar, and empty on most regular
	// containers.
	RestartPolicy string `json:"restartPolicy"`

	// Sidecar is set for an init container with restartPolicy: Always.
	Sidecar bool `json:"-"`
	// Index is its place in spec.containers, or in spec.initContainers when it
	// is a sidecar.
	Index int `json:"-"`
}

// Probe returns the container's probe of that type, or nil.
func (c *Container) Probe(t ProbeType) *Probe {
	switch t {
	case Liveness:
		return c.Liveness
	case Readiness:
		return c.Readiness
	default:
		return c.Startup
	}
}

// ContainerPort is a port that the container declares.
type ContainerPort struct {
	Name          string `json:"name"`
	ContainerPort int32  `json:"containerPort"`
	Protocol      string `json:"protocol"`
}

// EnvVar is one environment variable. From is nil for a literal value.
type EnvVar struct {
	Name  string     `json:"name"`
	Value string     `json:"value"`
	From  *EnvSource `json:"valueFrom"`
}

// EnvSource says where a variable's value comes from; at most one field is set.
type EnvSource struct {
	FieldRef     *FieldRef `json:"fieldRef"`
	SecretKeyRef *KeyRef   `json:"secretKeyRef"`
	ConfigMapRef *KeyRef   `json:"configMapKeyRef"`
	ResourceRef  *struct{} `json:"resourceFieldRef"`
}

// FieldRef names a field of the pod: "status.podIP", "metadata.name".
type FieldRef struct {
	FieldPath string `json:"fieldPath"`
}

// KeyRef names a key of a ConfigMap or Secret.
type KeyRef struct {
	Name string `json:"name"`
	Key  string `json:"key"`
}

// EnvFrom takes every key of a ConfigMap or Secret as a variable.
type EnvFrom struct {
	Prefix string `json:"prefix"`
}

// Owner is an owner reference.
type Owner struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Controller bool   `json:"controller"`
}

// Rollout is what rules read of an update strategy.
type Rollout struct {
	// Type is "RollingUpdate", "Recreate" or "OnDelete"; empty means absent.
	Type           string
	MaxUnavailable *IntOrPercent
	MaxSurge       *IntOrPercent
	// ProgressDeadlineSeconds is a Deployment's; nil means 600.
	ProgressDeadlineSeconds *int32
	Paused                  bool
}

// Budget is a policy/v1 PodDisruptionBudget.
type Budget struct {
	Ref         Ref
	Labels      map[string]string
	Annotations Annotations
	Controller  *Owner
	Deleting    bool

	MinAvailable   *IntOrPercent
	MaxUnavailable *IntOrPercent
	// Selector nil selects nothing; an empty one selects every pod of the
	// namespace (policy/v1).
	Selector *Selector
	// UnhealthyPodEvictionPolicy is empty (IfHealthyBudget), IfHealthyBudget or
	// AlwaysAllow.
	UnhealthyPodEvictionPolicy string

	// Problems are fields that the API server would refuse, or that Probity
	// could not read. No rule judges a budget that has any.
	Problems []Problem
}

// Autoscaler is a HorizontalPodAutoscaler or a KEDA ScaledObject: what sets the
// replicas of its target.
type Autoscaler struct {
	Ref Ref
	// Controller is the owner reference with controller: true, or nil. KEDA makes
	// an HPA for each ScaledObject.
	Controller *Owner
	// Deleting is set once the object has a deletionTimestamp.
	Deleting bool
	// Target's namespace is the autoscaler's own.
	Target Ref
	// MinReplicas is the lowest count it may choose: an HPA's default is 1, a
	// ScaledObject's 0.
	MinReplicas int32
}

// IntOrPercent is an int-or-string of the API.
type IntOrPercent struct {
	// Text is the value as written: "1", "25%".
	Text    string
	Value   int32
	Percent bool
}

// Of returns the count it stands for out of total; a percentage rounds up. The API
// allows a maxSurge of any percentage, so it is brought into range.
func (v IntOrPercent) Of(total int32) int32 {
	if !v.Percent {
		return v.Value
	}
	return int32(max(math.MinInt32, min((int64(v.Value)*int64(total)+99)/100, math.MaxInt32)))
}

// String returns the value as written.
func (v IntOrPercent) String() string {
	if v.Text != "" {
		return v.Text
	}
	return strconv.Itoa(int(v.Value))
}

// Problem is a field that is not legal, with what would be.
type Problem struct {
	// Path is the field path from the object's root.
	Path    string
	Message string
}

// String gives "path: message".
func (p Problem) String() string { return p.Path + ": " + p.Message }
