package audit

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/probity-dev/probity/workload"
)

// Resource is a kind of namespaced object, and where the cluster serves it.
type Resource struct {
	APIVersion string
	Kind       string
	// Name is the plural of the URL: "deployments".
	Name string
}

// String gives "deployments.apps", the name that kubectl and RBAC know.
func (r Resource) String() string {
	group, _, ok := strings.Cut(r.APIVersion, "/")
	if !ok {
		return r.Name
	}
	return r.Name + "." + group
}

// path is the URL's path of the objects of a namespace, "" for all of them.
func (r Resource) path(namespace string) string {
	root := "/apis/"
	if !strings.Contains(r.APIVersion, "/") {
		root = "/api/"
	}
	if namespace != "" {
		namespace = "/namespaces/" + namespace
	}
	return root + r.APIVersion + namespace + "/" + r.Name
}

// builtIn are the kinds that every cluster serves. What people write comes first:
// a listing that ends early has seen it. Pods and ReplicaSets are many, and most
// of them belong to something above.
var builtIn = [...]Resource{
	{"apps/v1", "Deployment", "deployments"},
	{"apps/v1", "StatefulSet", "statefulsets"},
	{"apps/v1", "DaemonSet", "daemonsets"},
	{"batch/v1", "CronJob", "cronjobs"},
	{"policy/v1", "PodDisruptionBudget", "poddisruptionbudgets"},
	{"autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers"},
	{"v1", "ReplicationController", "replicationcontrollers"},
	{"batch/v1", "Job", "jobs"},
	{"apps/v1", "ReplicaSet", "replicasets"},
	{"v1", "Pod", "pods"},
}

// firstMany is the place of the kinds in builtIn of which there are many.
const firstMany = 6

// scaledObject sets replicas, as an HPA does.
var scaledObject = workload.CustomKind{Group: "keda.sh", Kind: "ScaledObject"}

// ResourceError says that the objects of a kind could not be read.
type ResourceError struct {
	// Resource names the kind, as "deployments.apps".
	Resource string
	Err      error
}

// Error gives "deployments.apps: reason".
func (e ResourceError) Error() string {
	reason := e.Err.Error()
	if strings.HasPrefix(reason, e.Resource) {
		return reason // as the API server says "pods is forbidden"
	}
	return e.Resource + ": " + reason
}

// Unwrap returns the reason.
func (e ResourceError) Unwrap() error { return e.Err }

// Forbidden reports whether a permission is missing, so that trying again is of no
// use.
func (e ResourceError) Forbidden() bool { return apierrors.IsForbidden(e.Err) }

// Resources returns where the cluster serves the judged kinds: the built-in ones,
// and the custom ones that it has. A custom kind that it could not be asked for is
// an error beside the others. The answer is good until a CustomResourceDefinition
// comes or goes.
func (l *Lister) Resources(ctx context.Context, kinds *workload.Kinds) ([]Resource, []ResourceError) {
	byGroup := map[string][]string{}
	for _, c := range append(kinds.Custom(), scaledObject) {
		byGroup[c.Group] = append(byGroup[c.Group], c.Kind)
	}
	var custom []Resource
	var failed []ResourceError
	for group, wanted := range byGroup {
		found, err := l.served(ctx, group, wanted)
		if err != nil {
			failed = append(failed, ResourceError{"API group " + group, err})
		}
		custom = append(custom, found...)
	}
	slices.SortFunc(custom, func(a, b Resource) int { return strings.Compare(a.String(), b.String()) })
	slices.SortFunc(failed, func(a, b ResourceError) int { return strings.Compare(a.Resource, b.Resource) })
	return slices.Concat(builtIn[:firstMany], custom, builtIn[firstMany:]), failed
}

// served returns the kinds of a group that the cluster has, each in the version
// that it prefers. A group that it does not have is no error.
func (l *Lister) served(ctx context.Context, name string, kinds []string) ([]Resource, error) {
	var group metav1.APIGroup
	if err := l.get(ctx, "/apis/"+name, &group); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, err
	}
	versions := []string{group.PreferredVersion.GroupVersion}
	for _, v := range group.Versions {
		versions = append(versions, v.GroupVersion)
	}
	var found []Resource
	for _, version := range slices.Compact(versions) {
		if version == "" {
			continue
		}
		var list metav1.APIResourceList
		if err := l.get(ctx, "/apis/"+version, &list); err != nil {
			return found, err
		}
		for _, r := range list.APIResources {
			known := slices.ContainsFunc(found, func(f Resource) bool { return f.Kind == r.Kind })
			if r.Namespaced && !known && !strings.Contains(r.Name, "/") && slices.Contains(kinds, r.Kind) {
				found = append(found, Resource{version, r.Kind, r.Name})
			}
		}
	}
	slices.SortFunc(found, func(a, b Resource) int { return cmp.Compare(a.Kind, b.Kind) })
	return found, nil
}

func (l *Lister) get(ctx context.Context, path string, to any) error {
	result := l.client.Get().AbsPath(path).SetHeader("Accept", "application/json").Do(ctx)
	if err := result.Error(); err != nil { // Error reads the server's own words, which Raw does not
		return err
	}
	data, err := result.Raw()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, to); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
