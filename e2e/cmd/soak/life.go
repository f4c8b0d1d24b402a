package main

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// life is a Deployment of one client that exists, for a while, again and again. Probity
// makes a budget for it each time, and takes it away.
type life struct {
	client *client
	name   string
	born   *unstructured.Unstructured
	step   int
}

const (
	// livesNamespace is in mode enforce; moodyNamespace changes its mode.
	livesNamespace = "lives"
	moodyNamespace = "moody"
)

func newLife(c *client, pattern object, i int) *life {
	born := pattern.content.DeepCopy()
	name := fmt.Sprintf("life-%d", i)
	born.SetName(name)
	for _, path := range [][]string{{"metadata", "labels"}, {"spec", "selector", "matchLabels"}, {"spec", "template", "metadata", "labels"}} {
		// What a pattern has there are maps of strings.
		_ = unstructured.SetNestedField(born.Object, name, append(path, "app.kubernetes.io/name")...)
	}
	// Pods would keep the machine busy, and Probity looks at none of them.
	_ = unstructured.SetNestedField(born.Object, true, "spec", "paused")
	return &life{client: c, name: name, born: born}
}

// Patches of a Deployment, strategic: containers are found by their names.
const (
	toFault = `{"spec":{"template":{"spec":{"containers":[{"name":%q,"livenessProbe":{"httpGet":{"path":"/health/db"}}}]}}}}`
	toImage = `{"spec":{"template":{"spec":{"containers":[{"name":%q,"image":"registry.example/app:2"}]}}}}`
	toScale = `{"spec":{"replicas":3}}`
)

// next does the next step of the life. An error says what went otherwise than it must.
func (l *life) next(ctx context.Context) error {
	deployments := l.client.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}).Namespace(livesNamespace)
	l.client.warnings.take()
	steps := []func() error{
		func() error {
			made, err := deployments.Create(ctx, l.born, metav1.CreateOptions{})
			if err == nil && !injected(made) {
				err = errors.New("nothing was injected")
			}
			return err
		},
		func() error {
			_, err := deployments.Patch(ctx, l.name, types.StrategicMergePatchType, l.patch(toFault), metav1.PatchOptions{})
			if err == nil {
				return errors.New("an update that brings in a fault went through")
			}
			if refused(err) {
				err = nil
			}
			return err
		},
		func() error {
			_, err := deployments.Patch(ctx, l.name, types.StrategicMergePatchType, l.patch(toImage), metav1.PatchOptions{})
			return err
		},
		func() error {
			_, err := deployments.Patch(ctx, l.name, types.MergePatchType, []byte(toScale), metav1.PatchOptions{}, "scale")
			return err
		},
		func() error { return deployments.Delete(ctx, l.name, metav1.DeleteOptions{}) },
	}
	step := l.step
	l.step = (l.step + 1) % len(steps)
	if err := steps[step](); err != nil {
		return fmt.Errorf("step %d of the life of %s: %w", step+1, l.name, err)
	}
	return nil
}

func (l *life) patch(format string) []byte {
	containers, _, _ := unstructured.NestedSlice(l.born.Object, "spec", "template", "spec", "containers")
	name, _, _ := unstructured.NestedString(containers[0].(map[string]any), "name")
	return fmt.Appendf(nil, format, name)
}

// label changes the mode of a namespace: of one as a dry run, which is answered with
// what it would find among the workloads, and of another in earnest.
func (c *client) label(ctx context.Context, i int) error {
	modes := []string{"enforce", "warn", "audit", "off"}
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{"probity.dev/mode":%q}}}`, modes[i%len(modes)])
	namespaces := c.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	_, err := namespaces.Patch(ctx, livesNamespace, types.MergePatchType, patch, metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return fmt.Errorf("label the namespace %s: %w", livesNamespace, err)
	}
	if _, err = namespaces.Patch(ctx, moodyNamespace, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("label the namespace %s: %w", moodyNamespace, err)
	}
	return nil
}
