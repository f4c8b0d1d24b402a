//go:build node && linux

package node

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/probity-dev/probity/e2e/suite"
)

// TestManifests installs manifests/base as it is.
func TestManifests(t *testing.T) {
	root, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(root, "manifests", "base")
	must(t, "", "apply", "-k", base)
	t.Cleanup(func() {
		if _, err := kubectl(context.Background(), "", "delete", "-k", base, "--timeout=2m"); err != nil {
			t.Error(err)
		}
	})
	rolledOut(t)
	shop := suite.New(t, cluster.ControlPlane, "shop", "probity.dev/mode=enforce")
	works(shop)
	t.Run("a rolling update loses no request", func(t *testing.T) {
		lostNothing(shop.In(t), func() {
			must(t, "", "-n", system, "rollout", "restart", "deployment/probity")
			rolledOut(t)
		})
	})
	t.Run("a deleted pod loses no request", func(t *testing.T) { deletedPod(shop.In(t)) })
	t.Run("a killed process is replaced", func(t *testing.T) { killedProcess(shop.In(t)) })
	t.Run("a killed kubelet changes nothing", func(t *testing.T) { killedKubelet(shop.In(t)) })
	t.Run("its probes act as its inventory says", func(t *testing.T) { ownProbes(shop.In(t), filepath.Join(base, "deployment.yaml")) })
}

// TestChart installs the Helm chart as it is, and upgrades it.
func TestChart(t *testing.T) {
	root, err := repository()
	if err != nil {
		t.Fatal(err)
	}
	chart := filepath.Join(root, "manifests", "chart")
	helm(t, nil, "install", chart)
	t.Cleanup(func() { helm(t, nil, "uninstall") })
	rolledOut(t)
	shop := suite.New(t, cluster.ControlPlane, "shop", "probity.dev/mode=enforce")
	works(shop)
	t.Run("an upgrade loses no request", func(t *testing.T) {
		lostNothing(shop.In(t), func() {
			helm(t, map[string]any{"replicas": 3, "podAnnotations": map[string]string{"example.org/why": "an upgrade"}}, "upgrade", chart)
			rolledOut(t)
		})
	})
}

// helm runs the library of Helm 4.
func helm(t *testing.T, values any, command ...string) {
	t.Helper()
	program := suite.UseHelm(filepath.Join(cluster.folder, "helm"), cluster.Dir())
	release := suite.Release{Version: "4", Kubeconfig: cluster.Admin, Namespace: system}
	if err := program.Run(context.WithoutCancel(t.Context()), release, values, command...); err != nil {
		t.Fatal(err)
	}
}

// works shows what Probity is there for, in the namespace shop.
func works(shop *suite.Space) {
	t := shop.T.(*testing.T)
	// A new Service is routed a moment after its first pod is ready: kube-proxy looks
	// once a second. Until then requests pass unseen.
	shop.Await("the first refusal", func(context.Context) error {
		if _, _, err := shop.Kubectl(deployment("first", 2, suite.AsksDatabase), "create", "--dry-run=server", "-f", "-"); err == nil {
			return errors.New("nothing is refused")
		}
		return nil
	})
	t.Run("it refuses a probe of the database", func(t *testing.T) {
		_, stderr, err := shop.In(t).Kubectl(deployment("orders", 2, suite.AsksDatabase), "apply", "-f", "-")
		if err == nil || !strings.Contains(stderr, `denied the request: container "app": livenessProbe.httpGet.path asks the database (/health/db)`) {
			t.Errorf("the answer is %v, %s", err, stderr)
		}
	})
	t.Run("a slow program lives by the startup probe that it got", func(t *testing.T) { slowStart(shop.In(t)) })
	t.Run("it makes a budget of what is ready", func(t *testing.T) {
		shop.In(t).Must(deployment("orders", 2, suite.AsksItself), "apply", "-f", "-")
		suite.Await(t, "a budget that lets one pod go", func(ctx context.Context) error {
			list, err := cluster.Client.PolicyV1().PodDisruptionBudgets(shop.Name).List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			for _, b := range list.Items {
				if b.Spec.Selector.MatchLabels["app"] == "orders" && b.Status.CurrentHealthy == 2 && b.Status.DisruptionsAllowed == 1 {
					return nil
				}
			}
			return fmt.Errorf("there are %d budgets: %+v", len(list.Items), list.Items)
		})
	})
}

// slowStart: what begins to listen after twenty seconds, and is asked every two, is
// killed again and again without a startup probe.
func slowStart(shop *suite.Space) {
	t := shop.T
	const slow = `args: [-start-after=20s], livenessProbe: {httpGet: {path: /livez, port: 8080}, periodSeconds: 2, timeoutSeconds: 1, failureThreshold: 3}`
	unlabelled := suite.New(t, cluster.ControlPlane, "unlabelled")
	for _, space := range []*suite.Space{unlabelled, shop} {
		space.Must(deployment("slow", 1, slow), "apply", "-f", "-")
	}
	one := func(ctx context.Context, space *suite.Space) (*corev1.Pod, *corev1.ContainerStatus, error) {
		found, err := pods(ctx, space.Name, "app=slow")
		if err != nil {
			return nil, nil, err
		}
		if len(found) != 1 || len(found[0].Status.ContainerStatuses) != 1 {
			return nil, nil, errors.New("it does not run yet")
		}
		return &found[0], &found[0].Status.ContainerStatuses[0], nil
	}
	suite.Await(t, "the one with a startup probe", func(ctx context.Context) error {
		pod, status, err := one(ctx, shop)
		if err != nil {
			return err
		}
		if probe := pod.Spec.Containers[0].StartupProbe; probe == nil || probe.HTTPGet.Path != "/livez" {
			t.Fatalf("its startup probe is %+v", probe)
		}
		if status.RestartCount > 0 {
			t.Fatalf("it was restarted: %+v", status)
		}
		if !isReady(pod) || status.Started == nil || !*status.Started {
			return errors.New("it has not started")
		}
		return nil
	})
	suite.Await(t, "a restart of the one without", func(ctx context.Context) error {
		_, status, err := one(ctx, unlabelled)
		if err != nil {
			return err
		}
		if status.RestartCount == 0 {
			return errors.New("it was not restarted")
		}
		return nil
	})
	shop.Must("", "delete", "deployment", "slow")
}

func deletedPod(shop *suite.Space) {
	t := shop.T
	before, err := replicas(t.Context())
	if err != nil || len(before) != 2 {
		t.Fatalf("%d replicas, %v", len(before), err)
	}
	lostNothing(shop, func() {
		must(t, "", "-n", system, "delete", "pod", before[0].Name, "--timeout=1m")
		rolledOut(t)
	})
}

// killedProcess: nobody can answer for a process that is gone at once. No create may be
// refused for that, and it is for a moment only.
func killedProcess(shop *suite.Space) {
	t := shop.T
	victim := aReplica(t)
	l, failedCalls := underLoad(shop, func() {
		kill(t, victim)
		suite.Await(t, "the restart", func(ctx context.Context) error {
			p, err := cluster.Client.CoreV1().Pods(system).Get(ctx, victim.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if p.Status.ContainerStatuses[0].RestartCount != victim.Status.ContainerStatuses[0].RestartCount+1 || !isReady(p) {
				return fmt.Errorf("its status is %+v", p.Status.ContainerStatuses)
			}
			return nil
		})
	})
	if len(l.broken) > 0 {
		t.Errorf("%d requests failed, the first one: %s", len(l.broken), l.broken[0])
	}
	t.Logf("%d requests meanwhile, %d not judged, %.0f failed calls", 2*l.judged, len(l.lost), failedCalls)
	lostNothing(shop, func() {})
}

// killedKubelet: what runs goes on, and no container is restarted when its node agent
// comes back.
func killedKubelet(shop *suite.Space) {
	t := shop.T
	before := containers(t)
	lostNothing(shop, func() {
		if err := cluster.kubelet.Kill(); err != nil {
			t.Fatal(err)
		}
	})
	renewed := renewal(t)
	lostNothing(shop, func() {
		if err := cluster.startKubelet(t.Context()); err != nil {
			t.Fatal(err)
		}
		suite.Await(t, "a sign of life of the kubelet", func(context.Context) error {
			if !renewal(t).After(renewed.Time) {
				return errors.New("the lease is not renewed")
			}
			return nil
		})
		if err := cluster.podsMayCome(t.Context()); err != nil {
			t.Fatal(err)
		}
		rolledOut(t)
	})
	if diff := cmp.Diff(before, containers(t)); diff != "" {
		t.Errorf("other containers run:\n%s", diff)
	}
}

// containers returns the ids of Probity's containers, by pod.
func containers(t testing.TB) map[string]string {
	t.Helper()
	running, err := replicas(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, p := range running {
		ids[p.Name] = p.Status.ContainerStatuses[0].ContainerID
	}
	return ids
}

// renewal is when the kubelet told last that it lives.
func renewal(t testing.TB) metav1.MicroTime {
	t.Helper()
	leases, err := cluster.Client.CoordinationV1().Leases("kube-node-lease").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(leases.Items) != 1 || leases.Items[0].Spec.RenewTime == nil {
		t.Fatalf("leases %v, %v", leases, err)
	}
	return *leases.Items[0].Spec.RenewTime
}
