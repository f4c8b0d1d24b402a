package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/probity-dev/probity/e2e/measure"
)

// fill makes namespaces and Deployments, and waits until Probity has made a budget for
// each.
func (f *footprint) fill(ctx context.Context) error {
	begin := time.Now()
	err := f.each(ctx, f.namespaces, func(ctx context.Context, client kubernetes.Interface, i int) error {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespaceName(i), Labels: map[string]string{
			"probity.dev/mode": "enforce", "kubernetes.io/team": fmt.Sprintf("team-%d", i%50),
		}}}
		_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(f.progress, "%d namespaces made in %s.\n", f.namespaces, time.Since(begin).Round(time.Second))
	pattern, err := measure.Deployment(f.cluster.Repository)
	if err != nil {
		return err
	}
	err = f.each(ctx, f.deployments, func(ctx context.Context, client kubernetes.Interface, i int) error {
		d, err := f.deployment(pattern, i)
		if err != nil {
			return err
		}
		_, err = client.AppsV1().Deployments(d.Namespace).Create(ctx, d, metav1.CreateOptions{FieldManager: "kubectl-client-side-apply"})
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(f.progress, "%d Deployments made in %s.\n", f.deployments, time.Since(begin).Round(time.Second))
	if err := f.eventually(ctx, "not every Deployment has its budget", f.kept); err != nil {
		return err
	}
	fmt.Fprintf(f.progress, "All have their budget after %s.\n", time.Since(begin).Round(time.Second))
	return nil
}

func namespaceName(i int) string { return fmt.Sprintf("tenant-%05d", i) }

// deployment is one as kubectl apply sends it. It is paused: its pods would keep this
// machine busy, and Probity looks at none of them.
func (f *footprint) deployment(pattern *appsv1.Deployment, i int) (*appsv1.Deployment, error) {
	d := pattern.DeepCopy()
	d.Namespace, d.GenerateName, d.Name = namespaceName(i%f.namespaces), "", fmt.Sprintf("service-%05d", i)
	d.Spec.Paused = true
	for _, labels := range []map[string]string{d.Labels, d.Spec.Selector.MatchLabels, d.Spec.Template.Labels} {
		labels["app.kubernetes.io/name"] = d.Name
	}
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	if d.Annotations == nil {
		d.Annotations = map[string]string{}
	}
	d.Annotations[corev1.LastAppliedConfigAnnotation] = string(text)
	return d, nil
}

// load has Probity judge creates, as dry runs, and inject startup probes into each.
func (f *footprint) load(ctx context.Context) error {
	pattern, err := measure.Deployment(f.cluster.Repository)
	if err != nil {
		return err
	}
	containers := pattern.Spec.Template.Spec.Containers
	for i := range containers {
		containers[i].StartupProbe = nil
	}
	begin := time.Now()
	err = f.each(ctx, f.creates, func(ctx context.Context, client kubernetes.Interface, i int) error {
		_, err := client.AppsV1().Deployments(namespaceName(i%f.namespaces)).Create(ctx, pattern, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	})
	fmt.Fprintf(f.progress, "%d creates judged in %s.\n", f.creates, time.Since(begin).Round(time.Second))
	return err
}

// each has the clients do something n times in all.
func (f *footprint) each(ctx context.Context, n int, do func(ctx context.Context, client kubernetes.Interface, i int) error) error {
	all, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for _, client := range f.clients {
		all.Go(func() error {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if err := do(ctx, client, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return all.Wait()
}
