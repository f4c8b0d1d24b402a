//go:build node && linux

package node

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/e2e/suite"
)

// loaders is how many requests are under way at once, someRequests how many show that
// they go through.
const (
	loaders      = 3
	someRequests = 30
)

// load makes Deployments in dry runs: one that needs a startup probe, then one that must
// be refused. So each answer shows whether Probity gave it.
type load struct {
	space        *suite.Space
	good, faulty *appsv1.Deployment

	mu     sync.Mutex
	judged int
	lost   []string // answers without Probity, as it lets them through when it cannot answer
	broken []string // requests that failed
}

// underLoad does something while Deployments are made in the namespace. It returns how
// many calls of webhooks failed, as the API server counts them.
func underLoad(s *suite.Space, do func()) (l *load, failedCalls float64) {
	t := s.T
	t.Helper()
	l = &load{space: s, good: decode(t, suite.AsksItself), faulty: decode(t, suite.AsksDatabase)}
	before := failed(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var workers sync.WaitGroup
	for range loaders {
		workers.Go(func() {
			for ctx.Err() == nil {
				l.one(ctx)
			}
		})
	}
	l.more()
	do()
	l.more()
	cancel()
	workers.Wait()
	return l, failed(t) - before
}

func decode(t testing.TB, container string) *appsv1.Deployment {
	t.Helper()
	d := &appsv1.Deployment{}
	if err := yaml.UnmarshalStrict([]byte(deployment("load", 2, container)), d); err != nil {
		t.Fatal(err)
	}
	d.Name, d.GenerateName = "", "load-"
	return d
}

func (l *load) one(ctx context.Context) {
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	deployments := l.space.Client.AppsV1().Deployments(l.space.Name)
	made, err := deployments.Create(ctx, l.good, dry)
	_, refusal := deployments.Create(ctx, l.faulty, dry)
	if ctx.Err() != nil {
		return // It is the load that ended.
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case err != nil:
		l.broken = append(l.broken, err.Error())
	case made.Spec.Template.Spec.Containers[0].StartupProbe == nil:
		l.lost = append(l.lost, "a Deployment got no startup probe")
	}
	switch {
	case refusal == nil:
		l.lost = append(l.lost, "a probe of the database was not refused")
	case !strings.Contains(refusal.Error(), "[liveness-dependency-path]"):
		l.broken = append(l.broken, refusal.Error())
	}
	l.judged++
}

// more waits until some more requests were answered.
func (l *load) more() {
	l.space.T.Helper()
	l.mu.Lock()
	enough := l.judged + someRequests
	l.mu.Unlock()
	l.space.Await("answers", func(context.Context) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.judged < enough {
			return fmt.Errorf("%d, want %d; broken %v", l.judged, enough, l.broken)
		}
		return nil
	})
}

// lostNothing is underLoad for what no request may notice.
func lostNothing(s *suite.Space, do func()) {
	t := s.T
	t.Helper()
	l, failedCalls := underLoad(s, do)
	if failedCalls != 0 {
		t.Errorf("the API server counts %.0f failed calls, of which it says:\n%s", failedCalls, failedCallsLog())
	}
	for what, list := range map[string][]string{"were not judged": l.lost, "failed": l.broken} {
		if len(list) > 0 {
			t.Errorf("%d requests %s, of %d; the first one: %s", len(list), what, 2*l.judged, list[0])
		}
	}
	t.Logf("%d requests meanwhile, %d not judged, %d failed, %.0f failed calls", 2*l.judged, len(l.lost), len(l.broken), failedCalls)
}

// failedCallsLog returns what the API server has written of failed calls, the last ones.
func failedCallsLog() string {
	const last = 10
	text, err := os.ReadFile(filepath.Join(cluster.Dir(), "kube-apiserver.log"))
	if err != nil {
		return err.Error()
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if strings.Contains(strings.ToLower(line), "failed calling webhook") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-last):], "")
}

// failed returns how many calls of webhooks have failed, let through or not.
func failed(t testing.TB) float64 {
	t.Helper()
	open, err := cluster.Metric(t.Context(), "apiserver_admission_webhook_fail_open_count", nil)
	if err != nil {
		t.Fatal(err)
	}
	errored, err := cluster.Metric(t.Context(), "apiserver_admission_webhook_rejection_count", map[string]string{"error_type": "calling_webhook_error"})
	if err != nil {
		t.Fatal(err)
	}
	return open + errored
}
