package controlplane

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// startNodes creates the nodes and waits until pods may come: the nodes are
// ready and untainted, and the default namespace has its service account,
// without which a pod is refused.
func (c *ControlPlane) startNodes(ctx context.Context, count int) error {
	for i := range count {
		if err := c.createNode(ctx, fmt.Sprintf("node-%d", i+1)); err != nil {
			return err
		}
	}
	return c.WaitFor(ctx, c.podsMayCome)
}

func (c *ControlPlane) createNode(ctx context.Context, name string) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name,
		Labels: map[string]string{
			corev1.LabelHostname:   name,
			corev1.LabelOSStable:   "linux",
			corev1.LabelArchStable: "amd64",
		},
	}}
	if _, err := c.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create node %s: %w", name, err)
	}
	return nil
}

// podsMayCome returns the first reason why a pod would not run now.
func (c *ControlPlane) podsMayCome(ctx context.Context) error {
	nodes, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, node := range nodes.Items {
		if err := schedulable(&node); err != nil {
			return err
		}
	}
	_, err = c.client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
	return err
}

func schedulable(node *corev1.Node) error {
	for _, taint := range node.Spec.Taints {
		return fmt.Errorf("node %s has the taint %s", node.Name, taint.Key)
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue {
			return nil
		}
	}
	return fmt.Errorf("node %s is not ready", node.Name)
}

// WaitFor asks until the question has no error, the context ends, or a program
// of the control plane does.
func (c *ControlPlane) WaitFor(ctx context.Context, ready func(context.Context) error) error {
	ticker := newProbeTicker()
	defer ticker.Stop()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case died := <-c.died:
			return died
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}
