package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

// replica is a Probity that a kubelet looks after.
type replica struct {
	*install.Probity
	t testing.TB
	// ends counts how often it ended by itself, or was killed.
	ends atomic.Int32
}

// newReplica installs a replica behind the balancer, and starts it again whenever it
// ends.
func newReplica(t testing.TB, in *install.Local, b *install.Balancer) *replica {
	t.Helper()
	return keep(t, b, func(call string) (*install.Probity, error) {
		return in.Install(t.Context(), install.Options{Args: arguments(), Call: call})
	})
}

// keep is newReplica for one that is installed in another way.
func keep(t testing.TB, b *install.Balancer, installed func(call string) (*install.Probity, error)) *replica {
	t.Helper()
	p, err := installed(b.Addr())
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{Probity: p, t: t}
	ctx, cancel := context.WithCancel(context.Background())
	var kubelet sync.WaitGroup
	kubelet.Go(func() { r.restart(ctx) })
	t.Cleanup(func() {
		cancel()
		kubelet.Wait()
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	})
	b.Add(r.Addr(), r.Ready)
	return r
}

func (r *replica) restart(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.Ended():
		}
		r.ends.Add(1)
		if err := errors.Join(r.Kill(), r.Launch()); err != nil {
			r.t.Error(err)
			return
		}
	}
}

// ready waits until the replica is ready.
func (r *replica) ready() {
	r.t.Helper()
	suite.Await(r.t, "a replica that is ready", r.Ready)
}

// leads waits until the replica leads.
func (r *replica) leads() {
	r.t.Helper()
	suite.Await(r.t, "a replica that leads", func(ctx context.Context) error {
		if !leads(ctx, r.Probity) {
			return errors.New("it does not lead")
		}
		return nil
	})
}

func leads(ctx context.Context, p *install.Probity) bool {
	return metric(ctx, p, "leader_election_master_status", map[string]string{"name": "probity"}) == 1
}

// metric of a replica is 0 when the replica does not answer.
func metric(ctx context.Context, p *install.Probity, name string, labels map[string]string) float64 {
	all, err := p.Metrics(ctx)
	if err != nil {
		return 0
	}
	sum, _ := all.Sum(name, labels)
	return sum
}

// journal is what a program logs from a moment on.
type journal struct {
	t    testing.TB
	path string
	from int
}

func follow(t testing.TB, p *install.Probity) journal {
	t.Helper()
	return since(t, p.LogPath())
}

func since(t testing.TB, path string) journal {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return journal{t, path, len(text)}
}

// tells waits for a line with all of these.
func (j journal) tells(parts ...string) {
	j.t.Helper()
	suite.Await(j.t, fmt.Sprintf("a line of the log with %q", parts), func(context.Context) error {
		if len(j.lines(parts...)) == 0 {
			return errors.New("there is none")
		}
		return nil
	})
}

// lines returns those with all of these.
func (j journal) lines(parts ...string) (found []string) {
	j.t.Helper()
	text, err := os.ReadFile(j.path)
	if err != nil {
		j.t.Error(err)
		return nil
	}
	for line := range strings.Lines(string(text[j.from:])) {
		if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) }) {
			found = append(found, line)
		}
	}
	return found
}
