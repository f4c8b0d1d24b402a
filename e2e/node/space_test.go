//go:build node && linux

package node

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/probity-dev/probity/e2e/suite"
)

// system is the namespace of Probity.
const system = "probity-system"

// kubectl runs it as an administrator. Errors hold what it printed.
func kubectl(ctx context.Context, stdin string, args ...string) (stdout string, err error) {
	stdout, stderr, err := cluster.Kubectl(ctx, cluster.Admin, stdin, args...)
	if err != nil {
		return stdout, fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, stderr)
	}
	return stdout, nil
}

// must is kubectl that may not fail.
func must(t testing.TB, stdin string, args ...string) (stdout string) {
	t.Helper()
	stdout, err := kubectl(t.Context(), stdin, args...)
	if err != nil {
		t.Fatal(err)
	}
	return stdout
}

// rolledOut waits until all pods of Probity are of its latest template, and ready.
func rolledOut(t testing.TB) {
	t.Helper()
	if _, err := kubectl(t.Context(), "", "-n", system, "rollout", "status", "deployment/probity", "--timeout="+suite.Patience.String()); err != nil {
		pods, _ := kubectl(t.Context(), "", "-n", system, "describe", "pods")
		logs, _ := kubectl(t.Context(), "", "-n", system, "logs", "deployment/probity", "--tail=30")
		t.Fatalf("%v\n%s\n%s", err, pods, logs)
	}
}

// pods returns the pods that a selector finds.
func pods(ctx context.Context, namespace, selector string) ([]corev1.Pod, error) {
	list, err := cluster.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// replicas are the pods of Probity that are not on their way out.
func replicas(ctx context.Context) (running []corev1.Pod, err error) {
	all, err := pods(ctx, system, "app.kubernetes.io/name=probity")
	for _, p := range all {
		if p.DeletionTimestamp == nil {
			running = append(running, p)
		}
	}
	return running, err
}

func isReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// deployment is [suite.Deployment] of the workload program.
func deployment(name string, replicas int, container string) string {
	return strings.Replace(suite.Deployment(name, replicas, container), suite.Image, workloadImage, 1)
}
