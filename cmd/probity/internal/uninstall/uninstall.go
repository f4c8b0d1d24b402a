// Package uninstall takes Probity out of a cluster, in the order in which nothing
// breaks on the way: first what requests wait for, last what the rest stands on.
package uninstall

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/probity-dev/probity/budget"
	"github.com/probity-dev/probity/workload"
)

const (
	partOf = "app.kubernetes.io/part-of"
	name   = "app.kubernetes.io/name"
	// probity is the value of both labels on what was installed.
	probity = "probity"
	// pageSize bounds what a list holds at once.
	pageSize = 500
	// stopTimeout bounds the wait for the program to end.
	stopTimeout = 2 * time.Minute
)

// Options say what to remove.
type Options struct {
	// Client may do what an administrator may.
	Client client.Client
	// Namespace is Probity's own.
	Namespace string
	// All is set to remove what was installed, too, and not only what Probity made.
	All bool
	// DryRun is set to remove nothing.
	DryRun bool
	// Out gets a line for each object. An error to write is not reported.
	Out io.Writer
}

// Result counts what was done.
type Result struct {
	// Removed objects, or those that would be.
	Removed int
	// NoProgram is set when there was no Deployment: a program that runs elsewhere
	// makes again what was removed.
	NoProgram bool
	// Failed says what could not be read or removed; all else was done.
	Failed []error
}

// Run removes Probity. What is not there is passed over, so that it can be run again
// after it failed.
func Run(ctx context.Context, o Options) Result {
	r := &removal{Options: o}
	// A cluster that cannot be reached is one error, and not one for each kind.
	if _, err := o.Client.RESTMapper().RESTMapping(schema.GroupKind{Group: "apps", Kind: "Deployment"}, "v1"); err != nil && !meta.IsNoMatchError(err) {
		r.fail(fmt.Errorf("reach the cluster: %w", err))
		return r.result
	}
	// While a webhook is configured and its program is not there, requests wait.
	r.remove(ctx, "ValidatingWebhookConfiguration", installed{group: "admissionregistration.k8s.io"})
	r.remove(ctx, "MutatingWebhookConfiguration", installed{group: "admissionregistration.k8s.io"})
	// The program would make again what is removed next.
	before := len(r.result.Failed) + r.result.Removed
	r.remove(ctx, "Deployment", installed{group: "apps", namespaced: true})
	r.result.NoProgram = len(r.result.Failed)+r.result.Removed == before
	r.waitForEnd(ctx)
	r.each(ctx, kind("policy", "v1", "PodDisruptionBudget"), "", client.MatchingLabels{budget.Label: budget.LabelValue}, made)
	for _, k := range []schema.GroupVersionKind{kind("openreports.io", "v1alpha1", "Report"), kind("wgpolicyk8s.io", "v1alpha2", "PolicyReport")} {
		r.each(ctx, k, "", client.MatchingLabels{budget.Label: budget.LabelValue}, all)
	}
	if o.All {
		r.rest(ctx)
	}
	return r.result
}

// removal is a Run at work.
type removal struct {
	Options
	result Result
}

// installed says where a kind of the manifests is.
type installed struct {
	group      string
	namespaced bool
}

func kind(group, version, name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: name}
}

// remove deletes what was installed of a kind.
func (r *removal) remove(ctx context.Context, name string, at installed) {
	namespace := ""
	if at.namespaced {
		namespace = r.Namespace
	}
	r.each(ctx, kind(at.group, "v1", name), namespace, client.MatchingLabels{partOf: probity}, all)
}

// rest deletes what is left of the manifests: what the program was allowed, and where
// it was.
func (r *removal) rest(ctx context.Context) {
	rbac := installed{group: "rbac.authorization.k8s.io"}
	r.remove(ctx, "ClusterRoleBinding", rbac)
	r.remove(ctx, "ClusterRole", rbac)
	rbac.namespaced = true
	r.remove(ctx, "RoleBinding", rbac)
	r.remove(ctx, "Role", rbac)
	for _, k := range []struct {
		name string
		at   installed
	}{
		{"Service", installed{namespaced: true}},
		{"PodDisruptionBudget", installed{group: "policy", namespaced: true}},
		{"NetworkPolicy", installed{group: "networking.k8s.io", namespaced: true}},
		{"ConfigMap", installed{namespaced: true}},
		{"Secret", installed{namespaced: true}},
		{"ResourceQuota", installed{namespaced: true}},
		{"Lease", installed{group: "coordination.k8s.io", namespaced: true}},
		{"ServiceAccount", installed{namespaced: true}},
		{"Namespace", installed{}},
	} {
		r.remove(ctx, k.name, k.at)
	}
}

func all(*metav1.PartialObjectMetadata) bool { return true }

// made reports whether a budget is one of Probity's, and not one with its label.
func made(o *metav1.PartialObjectMetadata) bool {
	b := &workload.Budget{Ref: workload.Ref{APIVersion: "policy/v1", Kind: "PodDisruptionBudget", Namespace: o.Namespace, Name: o.Name}, Labels: o.Labels}
	if owner := metav1.GetControllerOf(o); owner != nil {
		b.Controller = &workload.Owner{APIVersion: owner.APIVersion, Kind: owner.Kind, Name: owner.Name, Controller: true}
	}
	return budget.Ours(b)
}

// each deletes the objects of a kind that have labels and that which says yes to, in
// one namespace or, for "", in all of them. A kind that the cluster does not have has
// no objects.
func (r *removal) each(ctx context.Context, k schema.GroupVersionKind, namespace string, labels client.MatchingLabels, which func(*metav1.PartialObjectMetadata) bool) {
	next := ""
	for {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind + "List"})
		err := r.Client.List(ctx, list, client.InNamespace(namespace), labels, client.Limit(pageSize), client.Continue(next))
		switch {
		case meta.IsNoMatchError(err) || apierrors.IsNotFound(err):
			return
		case err != nil:
			r.fail(fmt.Errorf("list %s: %w", k.Kind, err))
			return
		}
		for i := range list.Items {
			// One on its way out needs no more than time.
			if o := &list.Items[i]; o.DeletionTimestamp == nil && which(o) {
				o.SetGroupVersionKind(k)
				r.delete(ctx, o)
			}
		}
		if next = list.Continue; next == "" {
			return
		}
	}
}

// delete deletes the object that was looked at, and no other of its name.
func (r *removal) delete(ctx context.Context, o *metav1.PartialObjectMetadata) {
	ref := workload.Ref{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
	if r.DryRun {
		r.say("would delete " + ref.String())
		return
	}
	uid := o.UID
	err := r.Client.Delete(ctx, o, client.PropagationPolicy(metav1.DeletePropagationBackground), client.Preconditions{UID: &uid})
	switch {
	case apierrors.IsNotFound(err):
	case err != nil:
		r.fail(fmt.Errorf("delete %s: %w", ref, err))
	default:
		r.say("deleted " + ref.String())
	}
}

// waitForEnd waits until no pod of the program is left.
func (r *removal) waitForEnd(ctx context.Context) {
	if r.DryRun {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for told := false; ; told = true {
		pods := &metav1.PartialObjectMetadataList{}
		pods.SetGroupVersionKind(kind("", "v1", "PodList"))
		if err := r.Client.List(ctx, pods, client.InNamespace(r.Namespace), client.MatchingLabels{name: probity}, client.Limit(1)); err != nil {
			r.fail(fmt.Errorf("list Pods of Probity: %w", err))
			return
		}
		if len(pods.Items) == 0 {
			return
		}
		if !told {
			fmt.Fprintln(r.Out, "waiting for the pods of Probity to end")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.fail(errors.New("pods of Probity are still there; budgets that they make again are left over. Run this once more when they are gone"))
			return
		}
	}
}

func (r *removal) say(what string) {
	r.result.Removed++
	fmt.Fprintln(r.Out, what)
}

func (r *removal) fail(err error) { r.result.Failed = append(r.result.Failed, err) }
