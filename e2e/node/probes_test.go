//go:build node && linux

package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/probity-dev/probity/e2e/metrics"
	"github.com/probity-dev/probity/e2e/suite"
)

// tolerance is how much later than computed a kubelet on a busy machine may act.
const tolerance = 2 * time.Second

// said is what `probity inventory` says of a probe: how long it takes from a fault to
// the action, at best and at worst.
type said struct{ best, worst time.Duration }

// inventory asks the program of the image. The keys are names of probes.
func inventory(t testing.TB, manifest string) map[string]said {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(cluster.folder, "root", "probity"), "inventory", "-o", "json", "-")
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(manifest), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("probity inventory: %v: %s", err, &stderr)
	}
	var report struct {
		Probes []struct {
			Probe                     string
			BestSeconds, WorstSeconds float64
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	probes := map[string]said{}
	for _, p := range report.Probes {
		probes[p.Probe] = said{seconds(p.BestSeconds), seconds(p.WorstSeconds)}
	}
	return probes
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// within fails the test when something took less than computed, or more by more than
// the tolerance.
func within(t testing.TB, what string, took, atLeast, atMost time.Duration) {
	t.Helper()
	t.Logf("%s took %s, computed: %s to %s", what, took.Round(10*time.Millisecond), atLeast, atMost)
	const early = 200 * time.Millisecond // between what was seen and when it was
	if took < atLeast-early || took > atMost+tolerance {
		t.Errorf("%s took %s, want %s to %s", what, took, atLeast, atMost)
	}
}

// ownProbes stops a replica in its tracks, and looks when the kubelet does what.
func ownProbes(shop *suite.Space, deployment string) {
	t := shop.T
	manifest, err := os.ReadFile(deployment)
	if err != nil {
		t.Fatal(err)
	}
	computed := inventory(t, string(manifest))
	victim := aReplica(t)
	probe := victim.Spec.Containers[0].LivenessProbe
	timeout := time.Duration(probe.TimeoutSeconds) * time.Second
	pid := processOf(t, victim)
	// A kubelet that has just started asks the startup probe once more, before all others.
	suite.Await(t, "a liveness probe", func(ctx context.Context) error {
		count, err := livenessProbes(ctx, victim, "successful")
		if err == nil && count == 0 {
			return errors.New("there was none yet")
		}
		return err
	})
	failures, err := livenessProbes(t.Context(), victim, "failed")
	if err != nil {
		t.Fatal(err)
	}
	fault := time.Now()
	signal(t, pid, syscall.SIGSTOP)

	seen := watch(t, victim, pid, failures)
	within(t, "silence until it is taken out of rotation", seen.unready.Sub(fault), computed["readiness"].best, computed["readiness"].worst)
	within(t, "silence until the restart", seen.end.Sub(fault), computed["liveness"].best, computed["liveness"].worst)
	// The kubelet counts a probe that hangs when it has waited.
	lasts := computed["liveness"].best + timeout
	within(t, "the first failing probe to SIGTERM", seen.end.Sub(seen.failed.Add(-timeout)), lasts, lasts)

	// Connections of before lead to the stopped process still: each costs a call its time.
	suite.Await(t, "calls that all reach the other replica", func(context.Context) error {
		if _, failed := underLoad(shop, func() {}); failed > 0 {
			return fmt.Errorf("%.0f calls failed", failed)
		}
		return nil
	})
	lostNothing(shop, func() {})
	signal(t, pid, syscall.SIGCONT)
	suite.Await(t, "a replica that is ready again", func(ctx context.Context) error {
		p, err := cluster.Client.CoreV1().Pods(system).Get(ctx, victim.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if !isReady(p) || p.Status.ContainerStatuses[0].RestartCount != victim.Status.ContainerStatuses[0].RestartCount+1 {
			return fmt.Errorf("its status is %+v", p.Status.ContainerStatuses)
		}
		return nil
	})
}

// moments are when a kubelet did something to a pod that is silent.
type moments struct{ unready, failed, end time.Time }

// watch waits for all of them. They may come in any order. Before the fault liveness had
// failed that often.
func watch(t testing.TB, victim *corev1.Pod, pid int, failures float64) (seen moments) {
	t.Helper()
	suite.Await(t, "the end of readiness, a failed liveness probe, and SIGTERM", func(ctx context.Context) error {
		var errs []error
		for _, m := range []struct {
			at    *time.Time
			check func(context.Context) error
		}{
			{&seen.unready, func(ctx context.Context) error { return unready(ctx, victim) }},
			{&seen.failed, func(ctx context.Context) error {
				now, err := livenessProbes(ctx, victim, "failed")
				if err == nil && now == failures {
					return fmt.Errorf("liveness failed %v times, as before", now)
				}
				return err
			}},
			{&seen.end, func(context.Context) error { return terminated(pid) }},
		} {
			if !m.at.IsZero() {
				continue
			}
			if err := m.check(ctx); err != nil {
				errs = append(errs, err)
				continue
			}
			*m.at = time.Now()
		}
		return errors.Join(errs...)
	})
	return seen
}

func unready(ctx context.Context, pod *corev1.Pod) error {
	p, err := cluster.Client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err == nil && isReady(p) {
		return errors.New("it is ready")
	}
	return err
}

// livenessProbes is how many of a pod's liveness probes had that result, by its kubelet's
// own count since it started. Events say less, and a kubelet may drop them.
func livenessProbes(ctx context.Context, pod *corev1.Pod, result string) (float64, error) {
	text, err := cluster.Client.CoreV1().RESTClient().Get().Resource("nodes").Name(pod.Spec.NodeName).
		SubResource("proxy").Suffix("metrics/probes").DoRaw(ctx)
	if err != nil {
		return 0, err
	}
	families, err := metrics.Parse(bytes.NewReader(text))
	if err != nil {
		return 0, err
	}
	count, _ := families.Sum("prober_probe_total", map[string]string{
		"probe_type": "Liveness", "result": result, "pod_uid": string(pod.UID),
	})
	return count, nil
}

// aReplica returns a replica that is ready.
func aReplica(t testing.TB) *corev1.Pod {
	t.Helper()
	var chosen *corev1.Pod
	suite.Await(t, "two replicas", func(ctx context.Context) error {
		running, err := replicas(ctx)
		if err != nil {
			return err
		}
		if len(running) != 2 || !isReady(&running[0]) || !isReady(&running[1]) {
			return fmt.Errorf("%d replicas run", len(running))
		}
		chosen = &running[0]
		return nil
	})
	return chosen
}

// kill ends the process of a pod's container with SIGKILL.
func kill(t testing.TB, pod *corev1.Pod) { signal(t, processOf(t, pod), syscall.SIGKILL) }

func signal(t testing.TB, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatalf("%s to %d: %v", s, pid, err)
	}
}

// processOf finds the process of Probity in a pod. A pod's control group has its id.
func processOf(t testing.TB, pod *corev1.Pod) (pid int) {
	t.Helper()
	groups, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range groups {
		group, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(group), "pod"+string(pod.UID)) {
			continue // It has ended, or is another's.
		}
		name, err := os.ReadFile(filepath.Join(filepath.Dir(path), "comm"))
		if err != nil || strings.TrimSpace(string(name)) != "probity" {
			continue
		}
		if pid, err = strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			return pid
		}
	}
	t.Fatalf("no process of pod %s runs", pod.Name)
	return 0
}

// terminated says whether SIGTERM waits for a stopped process, or has ended it.
func terminated(pid int) error {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		text, found := strings.CutPrefix(line, "ShdPnd:")
		if !found {
			continue
		}
		pending, err := strconv.ParseUint(strings.TrimSpace(text), 16, 64)
		if err != nil {
			return err
		}
		if pending&(1<<(uint(syscall.SIGTERM)-1)) != 0 {
			return nil
		}
	}
	return errors.New("no signal waits")
}

// TestLivenessOfWorkloads: the inventory's numbers are what a kubelet does. With F, P
// and T for failureThreshold, periodSeconds and timeoutSeconds, from the first failing
// probe to SIGTERM it takes (F-1)*max(P, T), and T more when the probe hangs.
func TestLivenessOfWorkloads(t *testing.T) {
	namespace := suite.New(t, cluster.ControlPlane, "probes").Name
	t.Run("all", func(t *testing.T) {
		for i, c := range []struct {
			period, threshold, timeout int
			as                         string
		}{
			{2, 3, 1, "fail"},
			{2, 3, 1, "hang"},
			{5, 1, 3, "hang"},
			{2, 3, 5, "hang"}, // waits longer than the period
			{10, 3, 1, "fail"},
			{10, 3, 5, "hang"}, // as Probity's own
		} {
			t.Run(fmt.Sprintf("period %d threshold %d timeout %d, %s", c.period, c.threshold, c.timeout, c.as), func(t *testing.T) {
				t.Parallel() // Each waits for most of its time.
				measure(t, namespace, fmt.Sprintf("case-%d", i), c.as, fmt.Sprintf(
					"{httpGet: {path: /livez, port: 8080}, periodSeconds: %d, failureThreshold: %d, timeoutSeconds: %d}", c.period, c.threshold, c.timeout))
			})
		}
	})
}

// measure makes a fault in a new pod: one that failed before is restarted later and later.
func measure(t *testing.T, namespace, name, as, liveness string) {
	manifest := fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata: {name: %s}
spec:
  containers:
  - {name: app, image: %q, imagePullPolicy: IfNotPresent, livenessProbe: %s}
`, name, workloadImage, liveness)
	computed := inventory(t, manifest)["liveness"]
	must(t, manifest, "-n", namespace, "apply", "-f", "-")
	must(t, "", "-n", namespace, "wait", "--for=condition=Ready", "pod/"+name, "--timeout="+suite.Patience.String())
	pod, err := cluster.Client.CoreV1().Pods(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	suite.Await(t, "an answer", func(ctx context.Context) error {
		return post(ctx, "http://"+pod.Status.PodIP+":8080/behave", url.Values{"path": {"/livez"}, "as": {as}})
	})
	fault := time.Now()
	suite.Await(t, "the restart", func(ctx context.Context) error {
		p, err := cluster.Client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil && p.Status.ContainerStatuses[0].RestartCount != 1 {
			return errors.New("it was not restarted")
		}
		return err
	})
	first, end := readLog(t, namespace, name)
	within(t, "the fault to SIGTERM", end.Sub(fault), computed.best, computed.worst)
	lasts := computed.best
	if as == "hang" {
		lasts += time.Duration(pod.Spec.Containers[0].LivenessProbe.TimeoutSeconds) * time.Second
	}
	within(t, "the first failing probe to SIGTERM", end.Sub(first), lasts, lasts)
}

func post(ctx context.Context, target string, form url.Values) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("it answered %s", response.Status)
	}
	return nil
}

// readLog returns when the container that was ended was first asked in vain, and when
// SIGTERM came.
func readLog(t *testing.T, namespace, name string) (first, end time.Time) {
	t.Helper()
	text := must(t, "", "-n", namespace, "logs", name, "--previous")
	for line := range strings.Lines(text) {
		var entry struct {
			Time     time.Time
			What, As string
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		if entry.As != "" && first.IsZero() {
			first = entry.Time
		}
		if entry.What == syscall.SIGTERM.String() {
			end = entry.Time
		}
	}
	if first.IsZero() || end.IsZero() {
		t.Fatalf("no failing probe, or no signal:\n%s", text)
	}
	return first, end
}
