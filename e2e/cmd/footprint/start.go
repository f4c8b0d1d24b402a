package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

const (
	// account is Probity's, by whose name the audit log has its requests.
	account = "system:serviceaccount:probity-system:probity"
	// patience bounds each wait.
	patience = 10 * time.Minute
)

// start is one start of Probity.
type start struct {
	took time.Duration // from its exec until it is ready
	// apiServer is how much of that the API server was working on a request of it.
	apiServer time.Duration
}

// own is the time that is Probity's own: what the API server needs for its answers it
// would need for anybody's.
func (s start) own() time.Duration { return s.took - s.apiServer }

// startAgain stops and starts Probity over and over. It runs when it returns.
func (f *footprint) startAgain(ctx context.Context) ([]start, error) {
	var all []start
	for range f.starts {
		if err := f.cluster.Probity.Stop(); err != nil {
			return nil, err
		}
		s, err := f.start(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func (f *footprint) start(ctx context.Context) (start, error) {
	begin := time.Now()
	if err := f.cluster.Probity.Launch(); err != nil {
		return start{}, err
	}
	if err := f.ready(ctx); err != nil {
		return start{}, err
	}
	end := time.Now()
	events, err := f.cluster.AuditEvents()
	if err != nil {
		return start{}, err
	}
	return start{took: end.Sub(begin), apiServer: busy(events, begin, end)}, nil
}

// ready asks for readiness as often as there is an answer: with a pause between, the
// time would be that of the pauses.
func (f *footprint) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		if f.cluster.Probity.Ready(ctx) == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("probity did not get ready: %w", ctx.Err())
		case <-f.cluster.Probity.Ended():
			return fmt.Errorf("probity has ended; its log is %s", f.cluster.Probity.LogPath())
		case <-tick.C:
		}
	}
}

// busy returns for how long between two moments the API server was working on at least
// one request of Probity's, by its audit log. Requests overlap, so their durations do
// not add up. A watch counts until its answer begins: what it sends after that costs
// Probity as much time as the API server, and is left with Probity.
func busy(events []auditv1.Event, begin, end time.Time) (sum time.Duration) {
	type span struct{ from, to time.Time }
	var spans []span
	for _, e := range events {
		if e.User.Username != account {
			continue
		}
		from, to := e.RequestReceivedTimestamp.Time, e.StageTimestamp.Time
		if e.Verb == "watch" && e.Stage != auditv1.StageResponseStarted {
			continue
		}
		if from.Before(begin) || from.After(end) {
			continue
		}
		if to.After(end) {
			to = end
		}
		spans = append(spans, span{from, to})
	}
	slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
	var until time.Time
	for _, s := range spans {
		if s.from.Before(until) {
			s.from = until
		}
		sum += max(0, s.to.Sub(s.from))
		if s.to.After(until) {
			until = s.to
		}
	}
	return sum
}

// looked waits until Probity, which leads, has seen all workloads. Its audit goes on
// meanwhile: it reads gently, and of so many namespaces for minutes.
func (f *footprint) looked(ctx context.Context) error {
	fmt.Fprintln(f.progress, "Waiting until Probity has seen all there is.")
	return f.eventually(ctx, "Probity has not seen all there is", f.kept)
}

// kept reports whether there is a budget for each Deployment.
func (f *footprint) kept(value func(string, map[string]string) float64) bool {
	return value("probity_budget_workloads", map[string]string{"standing": "made"}) >= float64(f.deployments)
}

// eventually polls Probity's metrics.
func (f *footprint) eventually(ctx context.Context, otherwise string, ok func(value func(string, map[string]string) float64) bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("%s within %s", otherwise, patience))
	defer cancel()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		families, err := f.cluster.Probity.Metrics(ctx)
		if err == nil && ok(func(name string, labels map[string]string) float64 {
			sum, _ := families.Sum(name, labels)
			return sum
		}) {
			return nil
		}
		select {
		case <-ctx.Done():
			return cmp.Or(context.Cause(ctx), ctx.Err())
		case <-f.cluster.Probity.Ended():
			return errors.New("probity has ended by itself")
		case <-tick.C:
		}
	}
}
