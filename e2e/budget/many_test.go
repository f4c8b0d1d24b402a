package budget

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// makeMany makes Deployments as fast as eight clients can. They are paused, so that no
// pods keep the machine busy.
func makeMany(s space, n int, prefix string) error {
	var clients errgroup.Group
	clients.SetLimit(8)
	for i := range n {
		clients.Go(func() error {
			return s.create(s.T.Context(), strings.Replace(deployment(fmt.Sprintf("%s-%05d", prefix, i), 3), "spec:\n", "spec:\n  paused: true\n", 1))
		})
	}
	return clients.Wait()
}

func (s space) count(ctx context.Context) int {
	list, err := s.Client.PolicyV1().PodDisruptionBudgets(s.Name).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
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
	s.Eventually("all budgets", func(ctx context.Context) bool { return s.count(ctx) == many })
	s.Eventually("all events", func(ctx context.Context) bool { return s.events(ctx) >= many })
	once(t, s, many)
	// A new leader looks at everything and finds nothing to do.
	restarted(t, func() {})
	s.Eventually("the new leader to have seen all", func(ctx context.Context) bool {
		return kept(ctx) >= many
	})
	once(t, s, many)
	if n := s.events(t.Context()); n != many {
		t.Errorf("%d events of %d budgets", n, many)
	}
}

// once checks that each of so many budgets was written once.
func once(t *testing.T, s space, many int) {
	t.Helper()
	s.Eventually("the audit log", func(context.Context) bool { return len(writes(t, s.Name)) >= many })
	for name, how := range writes(t, s.Name) {
		if len(how) != 1 {
			t.Errorf("budget %s was written by %v", name, how)
		}
	}
}

func (s space) events(ctx context.Context) (n int) {
	list, err := s.Client.EventsV1().Events(s.Name).List(ctx, metav1.ListOptions{FieldSelector: "reason=BudgetMade"})
	if err != nil {
		return -1
	}
	return len(list.Items)
}

// metric sums series of Probity's; -1 when there is none, or Probity does not answer.
func metric(ctx context.Context, name string, labels map[string]string) float64 {
	all, err := local.Probity.Metrics(ctx)
	if err != nil {
		return -1
	}
	if sum, shown := all.Sum(name, labels); shown {
		return sum
	}
	return -1
}

// kept is how many workloads Probity keeps a budget for, as it says itself.
func kept(ctx context.Context) float64 {
	return metric(ctx, "probity_budget_workloads", map[string]string{"standing": "made"})
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
		s.Eventually("all budgets", func(ctx context.Context) bool { return s.count(ctx) == many })
		b.ReportMetric(time.Since(start).Seconds(), "s-from-first")
		b.ReportMetric(time.Since(made).Seconds(), "s-from-last")
		n := 0
		for _, how := range writes(b, s.Name) {
			n += len(how)
		}
		b.ReportMetric(float64(n)/many, "writes/workload")
		s.Eventually("all events", func(ctx context.Context) bool { return s.events(ctx) >= many })
	}
}

// BenchmarkMemory measures the memory of Probity's process with ten thousand
// Deployments that nobody asks it about, beyond what it has without any: after they
// came one by one, and after a start that finds them all.
func BenchmarkMemory(b *testing.B) {
	const many = 10_000
	rss := func() float64 {
		return metric(b.Context(), "process_resident_memory_bytes", nil) / (1 << 20)
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
		restarted(b, func() {})
		s.Eventually("the new leader to have seen all", func(ctx context.Context) bool {
			return kept(ctx) >= 1
		})
		b.ReportMetric(before, "MiB-before")
		b.ReportMetric(after-before, "MiB-grown")
		b.ReportMetric(rss()-before, "MiB-at-start")
	}
}
