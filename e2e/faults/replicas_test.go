package faults

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/probity-dev/probity/e2e/suite"
)

// TestReplicas has two replicas behind a balancer, and hurts one of them.
func TestReplicas(t *testing.T) {
	borrow(t)
	b := suite.NewBalancer(t)
	p := pair{in: local, first: newReplica(t, local, b), second: newReplica(t, local, b)}
	for _, policy := range []admissionregistrationv1.FailurePolicyType{admissionregistrationv1.Ignore, admissionregistrationv1.Fail} {
		t.Run("one is killed under load, with failurePolicy "+string(policy), func(t *testing.T) {
			p.during(t).killed(newSpace(t, local), policy)
		})
	}
	t.Run("one stands still", func(t *testing.T) { p.during(t).hung(newSpace(t, local)) })
}

// load asks for what is at fault, over and over, and counts what becomes of it.
type load struct {
	space space
	mu    sync.Mutex
	count map[outcome]int
	odd   []error
}

// workers of a load have each one request under way.
const workers = 4

// start begins the load; stop ends it.
func (l *load) start() (stop func()) {
	ctx, cancel := context.WithCancel(l.space.T.Context())
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for ctx.Err() == nil {
				o, err := l.space.faulty(ctx)
				if ctx.Err() != nil {
					return
				}
				l.mu.Lock()
				l.count[o]++
				if o == other {
					l.odd = append(l.odd, err)
				}
				l.mu.Unlock()
			}
		})
	}
	return func() { cancel(); all.Wait() }
}

// more waits until more requests were judged.
func (l *load) more() {
	l.space.T.Helper()
	judgedSoFar := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.count[judged]
	}
	enough := judgedSoFar() + 5*workers
	l.space.Eventually("requests that are judged", func(context.Context) bool { return judgedSoFar() >= enough })
}

const kills = 4

// killed kills each replica in turn with SIGKILL, at whatever it does, while the other
// is ready. Only what is under way at that moment goes the way of the failurePolicy.
func (p pair) killed(s space, policy admissionregistrationv1.FailurePolicyType) {
	s.failing(policy)
	defer s.failing(admissionregistrationv1.Ignore)
	l := &load{space: s, count: map[outcome]int{}}
	stop := l.start()
	for i := range kills {
		p.first.ready()
		p.second.ready()
		l.more()
		victim := p.first
		if i%2 == 1 {
			victim = p.second
		}
		ended := victim.Ended()
		if err := victim.Kill(); err != nil {
			p.t.Fatal(err)
		}
		<-ended
		l.more()
	}
	stop()
	p.t.Logf("%d requests were judged, %d went through unjudged, %d were refused", l.count[judged], l.count[unjudged], l.count[refused])
	lost, never := unjudged, refused
	if policy == admissionregistrationv1.Fail {
		lost, never = refused, unjudged
	}
	if most := kills * workers; l.count[lost] > most {
		p.t.Errorf("%d requests were lost, of at most %d that were under way", l.count[lost], most)
	}
	if l.count[never] > 0 {
		p.t.Errorf("%d requests went against the failurePolicy", l.count[never])
	}
	if len(l.odd) > 0 {
		p.t.Errorf("%d requests failed for another reason, the first one: %v", len(l.odd), l.odd[0])
	}
}

// hung has the leader stand still, which has the API server's connection: nothing tells
// the API server but its own timeout.
func (p pair) hung(s space) {
	leader, other := p.connected(s)
	ended := leader.Ended()
	if err := leader.Pause(); err != nil {
		p.t.Fatal(err)
	}
	resume := sync.OnceFunc(func() {
		if err := leader.Resume(); err != nil {
			p.t.Error(err)
		}
	})
	defer resume()
	begin := time.Now()
	ctx, cancel := context.WithTimeout(p.t.Context(), 20*time.Second) // less than no timeout at all
	defer cancel()
	if o, err := s.faulty(ctx); o != unjudged {
		p.t.Errorf("with failurePolicy Ignore: outcome %d, %v", o, err)
	}
	p.t.Logf("with failurePolicy Ignore a request took %s", time.Since(begin).Round(time.Millisecond))
	s.failing(admissionregistrationv1.Fail)
	defer s.failing(admissionregistrationv1.Ignore)
	s.Await("a refusal for want of an answer", func(ctx context.Context) error {
		o, err := s.faulty(ctx)
		if o == refused && strings.Contains(err.Error(), "deadline exceeded") {
			return nil
		}
		return fmt.Errorf("outcome %d, %w", o, err)
	})
	s.failing(admissionregistrationv1.Ignore)
	// The API server pings a connection that is silent, and dials anew.
	s.judged()
	p.t.Logf("the other replica answered %s after the first one stood still", time.Since(begin).Round(time.Second))
	other.leads()
	p.t.Logf("it leads %s after", time.Since(begin).Round(time.Second))
	s.make("after")
	s.budgets(1)

	resume()
	select {
	case <-ended: // its lease has gone, so it begins anew
	case <-time.After(suite.Patience):
		p.t.Fatal("a leader that has lost its lease goes on")
	}
	leader.ready()
	s.stillJudged("when both are there again")
	if leads(p.t.Context(), leader.Probity) {
		p.t.Error("both replicas lead")
	}
}

const decisions = "probity_admission_decisions_total"

// connected makes the one that leads the one that the API server has its connections
// to, which are one for each webhook.
func (p pair) connected(s space) (leader, other *replica) {
	leader, other = p.roles()
	s.Await("a leader that is asked", func(ctx context.Context) error {
		asked, elsewhere := metric(ctx, leader.Probity, decisions, nil), metric(ctx, other.Probity, decisions, nil)
		s.stillJudged("before the fault")
		if metric(ctx, leader.Probity, decisions, nil) > asked && metric(ctx, other.Probity, decisions, nil) == elsewhere {
			return nil
		}
		// Without the other one for a moment, connections are made to the leader.
		if err := other.Kill(); err != nil {
			return err
		}
		s.judged()
		other.ready()
		return errors.New("the other replica was asked")
	})
	return leader, other
}

// TestAllReplicasAreGoneAndFailClosed: with failurePolicy Fail nobody changes a
// workload, and what runs is not touched: pods come back, and it can be scaled.
func TestAllReplicasAreGoneAndFailClosed(t *testing.T) {
	s := newSpace(t, local)
	s.make("orders")
	s.running(2)
	s.failing(admissionregistrationv1.Fail)
	t.Cleanup(func() { s.failing(admissionregistrationv1.Ignore) })
	if err := local.Probity.Kill(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := local.Probity.Start(context.Background()); err != nil {
			t.Error(err)
		}
	})
	s.Await("a refusal for want of an answer", func(ctx context.Context) error {
		if o, err := s.ask(ctx, suite.AsksItself); o != refused {
			return fmt.Errorf("outcome %d, %w", o, err)
		}
		return nil
	})
	s.Admin("", "delete", "pods", "--all", "--now")
	s.running(2)
	s.Admin("", "scale", "deployment", "orders", "--replicas=3")
	s.running(3)
	s.Admin("", "delete", "deployment", "orders")
}

// running waits until as many pods are ready, and none of them is on its way out.
func (s space) running(want int) {
	s.T.Helper()
	s.Await(fmt.Sprintf("%d pods that are ready", want), func(ctx context.Context) error {
		d, err := s.Client.AppsV1().Deployments(s.Name).Get(ctx, "orders", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if int(d.Status.ReadyReplicas) != want || int(d.Status.Replicas) != want || d.Status.ObservedGeneration != d.Generation {
			return fmt.Errorf("%d of %d are", d.Status.ReadyReplicas, d.Status.Replicas)
		}
		return nil
	})
}
