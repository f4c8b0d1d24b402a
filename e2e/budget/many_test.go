package budget

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// makeMany makes Deployments as fast as eight clients can. They are paused, so that no
// pods keep the machine busy.
func makeMany(s *space, n int, prefix string) error {
	var clients errgroup.Group
	clients.SetLimit(8)
	for i := range n {
		clients.Go(func() error {
			d := &appsv1.Deployment{}
			text := strings.Replace(deployment(fmt.Sprintf("%s-%05d", prefix, i), 3), "spec:\n", "spec:\n  paused: true\n", 1)
			if err := yaml.Unmarshal([]byte(text), d); err != nil {
				return err
			}
			_, err := s.AppsV1().Deployments(s.name).Create(s.t.Context(), d, metav1.CreateOptions{})
			return err
		})
	}
	return clients.Wait()
}

func (s *space) count(ctx context.Context) int {
	list, err := s.PolicyV1().PodDisruptionBudgets(s.name).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return -1
	}
	return len(list.Items)
}

// TestManyBudgetsCostTwoCallsEach counts what Probity asks of the API server: one
// write and one event for each budget, and nothing once all is as it should be.
func TestManyBudgetsCostTwoCallsEach(t *testing.T) {
	const many = 100
	s := newSpace(t, enforce)
	if err := makeMany(s, many, "web"); err != nil {
		t.Fatal(err)
	}
	s.eventually("all budgets", func(ctx context.Context) bool { return s.count(ctx) == many })
	s.eventually("all events", func(ctx context.Context) bool { return s.events(ctx) >= many })
	once(t, s, many)
	// A new leader looks at everything and finds nothing to do.
	restarted(t, func() {})
	s.eventually("the new leader to have seen all", func(ctx context.Context) bool {
		return metric(ctx, t, `probity_budget_workloads{standing="made"}`) >= many
	})
	once(t, s, many)
	if n := s.events(t.Context()); n != many {
		t.Errorf("%d events of %d budgets", n, many)
	}
}

// once checks that each of so many budgets was written once.
func once(t *testing.T, s *space, many int) {
	t.Helper()
	s.eventually("the audit log", func(context.Context) bool { return len(writes(t, s.name)) >= many })
	for name, how := range writes(t, s.name) {
		if len(how) != 1 {
			t.Errorf("budget %s was written by %v", name, how)
		}
	}
}

func (s *space) events(ctx context.Context) (n int) {
	list, err := s.EventsV1().Events(s.name).List(ctx, metav1.ListOptions{FieldSelector: "reason=BudgetMade"})
	if err != nil {
		return -1
	}
	return len(list.Items)
}

// metric reads a value of Probity's /metrics; -1 when it is not there.
func metric(ctx context.Context, t testing.TB, series string) float64 {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, probity.MetricsURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return -1
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return -1
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, series+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	return -1
}

// BenchmarkTwoThousandDeployments makes them at once and measures the time until each
// has its budget, from the first request on, and from the last.
func BenchmarkTwoThousandDeployments(b *testing.B) {
	const many = 2000
	for b.Loop() {
		s := newSpace(b, enforce)
		start := time.Now()
		if err := makeMany(s, many, "web"); err != nil {
			b.Fatal(err)
		}
		made := time.Now()
		s.eventually("all budgets", func(ctx context.Context) bool { return s.count(ctx) == many })
		b.ReportMetric(time.Since(start).Seconds(), "s-from-first")
		b.ReportMetric(time.Since(made).Seconds(), "s-from-last")
		n := 0
		for _, how := range writes(b, s.name) {
			n += len(how)
		}
		b.ReportMetric(float64(n)/many, "writes/workload")
		s.eventually("all events", func(ctx context.Context) bool { return s.events(ctx) >= many })
	}
}

// BenchmarkMemory measures the memory of Probity's process with ten thousand
// Deployments that nobody asks it about, beyond what it has without any: after they
// came one by one, and after a start that finds them all.
func BenchmarkMemory(b *testing.B) {
	const many = 10_000
	rss := func() float64 {
		return metric(b.Context(), b, "process_resident_memory_bytes") / (1 << 20)
	}
	for b.Loop() {
		asking, s := newSpace(b, enforce), newSpace(b)
		asking.apply(deployment("web", 3))
		asking.made("web")
		before := rss()
		if err := makeMany(s, many, "web"); err != nil {
			b.Fatal(err)
		}
		after := rss()
		if err := probity.Kill(); err != nil {
			b.Fatal(err)
		}
		if err := probity.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		s.eventually("the new leader to have seen all", func(ctx context.Context) bool {
			return metric(ctx, b, `probity_budget_workloads{standing="made"}`) >= 1
		})
		b.ReportMetric(before, "MiB-before")
		b.ReportMetric(after-before, "MiB-grown")
		b.ReportMetric(rss()-before, "MiB-at-start")
	}
}
