package budget

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// crowd puts all replicas of web on one node that can be drained.
func crowd(s space, replicas int) (node string) {
	s.T.Helper()
	node = "node-1"
	pinned := strings.Replace(deployment("web", replicas), "    spec:\n", "    spec:\n      affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, preference: {matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: ["+node+"]}]}}]}}\n", 1)
	s.apply(pinned)
	s.rolledOut("web")
	pods := s.pods()
	for i := range pods {
		if pods[i].Spec.NodeName != node {
			s.T.Fatalf("pod %s is on %s", pods[i].Name, pods[i].Spec.NodeName)
		}
	}
	return node
}

func (s space) pods() []corev1.Pod {
	s.T.Helper()
	pods, err := s.Client.CoreV1().Pods(s.Name).List(s.T.Context(), metav1.ListOptions{LabelSelector: "app=web"})
	if err != nil {
		s.T.Fatal(err)
	}
	return pods.Items
}

// drain empties the node of the namespace's pods, and makes it schedulable again
// afterwards.
func drain(s space, node string) {
	s.T.Helper()
	s.T.Cleanup(func() {
		if _, stderr, err := local.Kubectl(context.Background(), local.Admin, "", "uncordon", node); err != nil {
			s.T.Errorf("uncordon: %v %s", err, stderr)
		}
	})
	out, _ := s.Admin("", "drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--pod-selector=app=web", "--timeout=100s")
	if !strings.Contains(out, "drained") {
		s.T.Errorf("drain says %s", out)
	}
}

// lowest watches the pods of web and returns a function that ends the watch and says
// how few were ready at any moment.
func lowest(s space) func() int {
	s.T.Helper()
	ctx, stop := context.WithCancel(s.T.Context())
	list, err := s.Client.CoreV1().Pods(s.Name).List(ctx, metav1.ListOptions{LabelSelector: "app=web"})
	if err != nil {
		s.T.Fatal(err)
	}
	ready := map[types.UID]bool{}
	for i := range list.Items {
		ready[list.Items[i].UID] = isReady(&list.Items[i])
	}
	w, err := s.Client.CoreV1().Pods(s.Name).Watch(ctx, metav1.ListOptions{LabelSelector: "app=web", ResourceVersion: list.ResourceVersion})
	if err != nil {
		s.T.Fatal(err)
	}
	least := count(ready)
	var done sync.WaitGroup
	done.Go(func() {
		for event := range w.ResultChan() {
			pod, ok := event.Object.(*corev1.Pod)
			if !ok {
				continue
			}
			ready[pod.UID] = event.Type != "DELETED" && isReady(pod)
			least = min(least, count(ready))
		}
	})
	return func() int {
		w.Stop()
		stop()
		done.Wait()
		return least
	}
}

func count(ready map[types.UID]bool) (n int) {
	for _, is := range ready {
		if is {
			n++
		}
	}
	return n
}

func isReady(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue && p.DeletionTimestamp == nil
		}
	}
	return false
}

func TestADrainKeepsTheFloorAndEnds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		labels []string
		keeps  bool
	}{
		{"with Probity's budget", []string{enforce}, true},
		{"without Probity", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSpace(t, tt.labels...)
			const replicas = 4
			node := crowd(s, replicas)
			if tt.keeps {
				s.made("web")
				s.allows("web", 1)
			}
			end := lowest(s)
			drain(s, node)
			s.rolledOut("web")
			least := end()
			t.Logf("at the least %d of %d pods were ready", least, replicas)
			if tt.keeps && least < replicas-1 {
				t.Errorf("%d of %d pods were ready at some moment", least, replicas)
			}
			// A replacement may be ready before the last pod is evicted.
			if !tt.keeps && least >= replicas-1 {
				t.Errorf("without a budget %d pods were left: the test shows no difference", least)
			}
			for _, pod := range s.pods() {
				if pod.Spec.NodeName == node {
					t.Errorf("pod %s is still on %s", pod.Name, node)
				}
			}
		})
	}
}

// allows waits until the disruption controller lets so many pods go.
func (s space) allows(workload string, n int32) {
	s.T.Helper()
	s.Eventually(fmt.Sprintf("%d allowed disruptions", n), func(context.Context) bool {
		b, ok := s.budget(workload)
		return ok && b.Status.ObservedGeneration == b.Generation && b.Status.DisruptionsAllowed == n
	})
}

func TestUnhealthyPodsNeverBlockADrain(t *testing.T) {
	s := newSpace(t, enforce)
	node := crowd(s, 3)
	s.made("web")
	s.allows("web", 1)
	// Pods that are not ready, for good: kwok has no more to say about them.
	for _, pod := range s.pods() {
		status := `{"status":{"conditions":[{"type":"Ready","status":"False"},{"type":"ContainersReady","status":"False"}]}}`
		if _, err := s.Client.CoreV1().Pods(s.Name).Patch(t.Context(), pod.Name, types.StrategicMergePatchType, []byte(status), metav1.PatchOptions{}, "status"); err != nil {
			t.Fatal(err)
		}
	}
	s.allows("web", 0)
	drain(s, node)
	s.Eventually("the pods elsewhere", func(context.Context) bool {
		for _, pod := range s.pods() {
			if pod.Spec.NodeName == node {
				return false
			}
		}
		return true
	})
}
