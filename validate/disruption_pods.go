package validate

import (
	"maps"
	"math"
	"strings"

	"github.com/probity-dev/probity/workload"
)

// podSet is the pods of one workload. They share the labels of its template, so a
// budget selects all of them or none.
type podSet struct {
	ref   workload.Ref
	index int
	// variants are the objects of that name: a base and its overlays, say. The
	// set is selected when one of them is.
	variants []*workload.Workload
	// labels are those of the pods, one map a variant, once there is an index.
	labels []map[string]string

	counting counting
	// pods is how many there are at the least, where known.
	pods  int32
	known bool
	// atTimes is set for pods that are not always there: a Job's, or those of an
	// autoscaler that goes down to zero.
	atTimes bool
	// floorBy names the autoscaler that sets the floor, "" when none does.
	floorBy string
	// operated is set when a controller outside Kubernetes owns the workload.
	operated bool

	// budgets are the first that select the pods.
	budgets []*budget
	// covered is set when a budget selects the pods, or may do so.
	covered bool
}

// counting says whether the disruption controller finds out how many pods there
// should be, which shares and maxUnavailable need.
type counting uint8

const (
	// unknown: a custom resource that may or may not have a scale subresource.
	unknown counting = iota
	// scaled: the kind has a scale subresource.
	scaled
	// unscaled: it has none, and the controller gives up on the whole budget.
	unscaled
	// unmanaged: a Pod without controller, which is left out of the count.
	unmanaged
)

// podSetKey identifies a set. The version of the API does not count.
type podSetKey struct{ group, kind, namespace, name string }

func keyOf(r workload.Ref) podSetKey {
	return podSetKey{apiGroup(r.APIVersion), r.Kind, r.Namespace, r.Name}
}

func apiGroup(apiVersion string) string {
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return ""
	}
	return group
}

// is reports whether the key is of that group and one of the kinds.
func (k podSetKey) is(group string, kinds ...string) bool {
	if k.group != group {
		return false
	}
	for _, kind := range kinds {
		if k.kind == kind {
			return true
		}
	}
	return false
}

func (k podSetKey) counting() counting {
	switch {
	case k.is("apps", "Deployment", "StatefulSet", "ReplicaSet"), k.is("", "ReplicationController"), k.is("argoproj.io", "Rollout"):
		return scaled
	case k.is("apps", "DaemonSet"), k.is("batch", "Job", "CronJob"):
		return unscaled
	default:
		return unknown
	}
}

// ownerKey identifies the controller of a workload.
func ownerKey(w *workload.Workload) podSetKey {
	return keyOf(workload.Ref{APIVersion: w.Controller.APIVersion, Kind: w.Controller.Kind, Namespace: w.Ref.Namespace, Name: w.Controller.Name})
}

// standsFor reports whether the controller of a workload is judged in its place:
// a Deployment in that of its ReplicaSets and pods. Mirror pods, which a node
// owns, are no budget's matter.
func standsFor(owner podSetKey, present map[podSetKey]bool) bool {
	return present[owner] || owner.counting() != unknown || owner.is("", "Node")
}

// countPods works out the floor from the variants and from the autoscalers that
// have the workload for a target.
func (s *podSet) countPods(key podSetKey, scalers []*workload.Autoscaler) {
	s.counting = key.counting()
	replicas, written := writtenReplicas(s.variants)
	switch {
	case s.variants[0].Ref.Kind == "Pod":
		s.countBarePods()
	case s.counting == unscaled:
		// A DaemonSet has as many as there are nodes.
		s.known, s.atTimes = key.kind != "DaemonSet", key.kind != "DaemonSet"
	case written:
		s.pods, s.known, s.counting = replicas, true, scaled
	case s.counting == scaled:
		s.pods, s.known = 1, true // SetDefaults_Deployment and its like
	}
	if len(scalers) > 0 && s.counting != unscaled {
		s.counting = scaled
		s.countByScaler(scalers, written && replicas == 0)
	}
}

// countBarePods counts Pods. Those of a custom resource make one set, of which
// nobody knows here how many there should be.
func (s *podSet) countBarePods() {
	s.pods, s.known = int32(len(s.variants)), true //nolint:gosec // as many pods would not fit into memory
	if s.operated {
		return
	}
	s.pods, s.counting = 1, unmanaged
	if w := s.variants[0]; w.Pod.RestartPolicy == "Never" || w.Pod.RestartPolicy == "OnFailure" || hook(w) {
		s.pods, s.atTimes = 0, true
	}
}

// hook reports whether Helm makes the object for a step of a release, such as a
// test, and not as a part of it.
func hook(w *workload.Workload) bool { return w.Annotations[helmHook] != "" }

const helmHook = "helm.sh/hook"

// writtenReplicas returns spec.replicas, the highest of the variants that say it.
func writtenReplicas(variants []*workload.Workload) (n int32, written bool) {
	for _, w := range variants {
		if w.Replicas != nil {
			n, written = max(n, *w.Replicas), true
		}
	}
	return n, written
}

// countByScaler takes the lowest minimum, as a ScaledObject has an HPA of its
// own. Of two autoscalers with one name, a base and its overlay, the higher
// counts. An HPA leaves alone what is scaled to zero.
func (s *podSet) countByScaler(scalers []*workload.Autoscaler, zero bool) {
	byRef := map[workload.Ref]int32{}
	for _, a := range scalers {
		if zero && a.Ref.Kind == "HorizontalPodAutoscaler" {
			return
		}
		byRef[a.Ref] = max(byRef[a.Ref], a.MinReplicas)
	}
	s.pods, s.known = math.MaxInt32, true
	for _, a := range scalers {
		if n := byRef[a.Ref]; n < s.pods {
			s.pods, s.floorBy = n, a.Ref.Kind+" "+a.Ref.Name
		}
	}
	s.atTimes = s.pods == 0
}

// targetKey identifies what an autoscaler scales. Both kinds take a target
// without group, or of the old group, for one of apps.
func targetKey(a *workload.Autoscaler) podSetKey {
	k := keyOf(a.Target)
	switch {
	case k.is("extensions", "Deployment", "ReplicaSet"), k.is("", "Deployment", "StatefulSet", "ReplicaSet"):
		k.group = "apps"
	}
	return k
}

// generated stands for a label value that a controller makes up.
const generated = "\x00"

// passing reports whether the pods run to an end, as those of Jobs and of Helm's
// tests do.
func (s *podSet) passing() bool { return s.atTimes && s.counting != scaled }

// podLabels are the labels of a workload's pods: those of the template, and those
// that the kind's controller adds.
func podLabels(w *workload.Workload) map[string]string {
	added := controllerLabels(w.Ref.Kind)
	if len(added) == 0 {
		return w.Pod.Labels
	}
	labels := make(map[string]string, len(w.Pod.Labels)+len(added))
	maps.Copy(labels, w.Pod.Labels)
	for _, key := range added {
		labels[key] = generated
		if w.Ref.Kind == "Job" && strings.HasSuffix(key, "job-name") {
			labels[key] = w.Ref.Name
		}
	}
	return labels
}

// controllerLabels are what controllers write on the pods of a kind (k8s.io/api,
// apps/v1 and batch/v1; Argo Rollouts' DefaultRolloutUniqueLabelKey).
func controllerLabels(kind string) []string {
	switch kind {
	case "Deployment":
		return []string{"pod-template-hash"}
	case "Rollout":
		return []string{"rollouts-pod-template-hash"}
	case "StatefulSet":
		return []string{"controller-revision-hash", "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"}
	case "DaemonSet":
		return []string{"controller-revision-hash", "pod-template-generation"}
	case "Job", "CronJob":
		return []string{"job-name", "batch.kubernetes.io/job-name", "controller-uid", "batch.kubernetes.io/controller-uid"}
	default:
		return nil
	}
}
