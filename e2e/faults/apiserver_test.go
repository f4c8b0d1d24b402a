package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

// TestTheAPIServer breaks the API server, and etcd behind it, under two replicas.
func TestTheAPIServer(t *testing.T) {
	in, err := install.StartEmpty(t.Context(), 1, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Stop(); err != nil {
			t.Error(err)
		}
	})
	b := suite.NewBalancer(t)
	p := pair{in: in}
	p.first = newReplica(t, in, b)
	p.second = newReplica(t, in, b)
	for _, tt := range []struct {
		name string
		run  func(pair, space)
	}{
		{"restarts", pair.restarted},
		{"stays away until the leader has given up", pair.away},
		{"has no etcd for half a minute", pair.withoutEtcd},
		{"restarts when permissions have gone", pair.withoutPermissions},
	} {
		t.Run(tt.name, func(t *testing.T) { tt.run(p.during(t), newSpace(t, in)) })
	}
}

// pair is two replicas of a control plane.
type pair struct {
	t             testing.TB
	in            *install.Local
	first, second *replica
}

func (p pair) during(t testing.TB) pair {
	p.t = t
	return p
}

// roles says which of the two leads.
func (p pair) roles() (leader, other *replica) {
	p.t.Helper()
	suite.Eventually(p.t, "a leader", func(ctx context.Context) bool {
		leader, other = p.first, p.second
		if !leads(ctx, leader.Probity) {
			leader, other = other, leader
		}
		return leads(ctx, leader.Probity)
	})
	return leader, other
}

func (p pair) stop() {
	p.t.Helper()
	if err := p.in.StopAPIServer(); err != nil {
		p.t.Fatal(err)
	}
}

func (p pair) start() {
	p.t.Helper()
	if err := p.in.StartAPIServer(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

// goesOn shows that budgets are made and withdrawn, and what is at fault refused.
func (p pair) goesOn(s space) {
	p.t.Helper()
	s.judged()
	s.make("after")
	s.budgets(2)
	s.Admin("", "delete", "deployment", "before", "after", "--wait=false")
	s.budgets(0)
	p.first.ready()
	p.second.ready()
}

func (p pair) restarted(s space) {
	s.make("before")
	s.budgets(1)
	leader, other := p.roles()
	ends, otherEnds := leader.ends.Load(), other.ends.Load()
	begin := time.Now()
	p.stop()
	p.start()
	away := time.Since(begin)
	s.stillJudged("after the restart")
	p.goesOn(s)
	// A leader has ten seconds to renew its lease.
	if n := leader.ends.Load() - ends; n > 0 && away < 8*time.Second {
		p.t.Errorf("the leader ended %d times within %s", n, away)
	}
	if other.ends.Load() != otherEnds {
		p.t.Error("the replica that did not lead has ended")
	}
	p.t.Logf("the API server was away for %s", away.Round(time.Millisecond))
}

func (p pair) away(s space) {
	s.make("before")
	s.budgets(1)
	leader, other := p.roles()
	otherEnds, ended := other.ends.Load(), leader.Ended()
	log := follow(p.t, leader.Probity)
	p.stop()
	if err := other.Ready(p.t.Context()); err != nil {
		p.t.Errorf("a replica without an API server: %v", err)
	}
	select {
	case <-ended:
	case <-time.After(suite.Patience):
		p.t.Fatal("the leader did not end, though it could not renew its lease")
	}
	log.tells(`"msg":"ended"`, "leader election lost")
	// Started again, it waits for an API server, and does not end once more.
	suite.Await(p.t, "a replica that waits", func(ctx context.Context) error {
		if err := leader.Ready(ctx); err == nil || !strings.HasPrefix(err.Error(), "not ready") {
			return fmt.Errorf("it is ready, or does not say: %w", err)
		}
		return nil
	})
	log.tells(`"msg":"not ready"`, "namespaces are not read yet")
	if err := other.Ready(p.t.Context()); err != nil {
		p.t.Errorf("the replica that did not lead: %v", err)
	}
	ends := leader.ends.Load()
	p.start()
	s.stillJudged("when the API server is back")
	p.goesOn(s)
	if leader.ends.Load() != ends || other.ends.Load() != otherEnds {
		p.t.Error("a replica ended while it waited for the API server")
	}
}

// outage of etcd, as long as an election of a new leader of its own may take, or a disk
// that hangs.
const outage = 30 * time.Second

func (p pair) withoutEtcd(s space) {
	s.make("before")
	s.budgets(1)
	_, other := p.roles()
	otherEnds := other.ends.Load()
	over := time.After(outage)
	if err := p.in.PauseEtcd(); err != nil {
		p.t.Fatal(err)
	}
	defer func() {
		if err := p.in.ResumeEtcd(); err != nil {
			p.t.Error(err)
		}
	}()
	// The API server needs no etcd to ask Probity, and Probity none to answer.
	s.stillJudged("without etcd")
	<-over
	s.stillJudged("at the end of the outage")
	if err := other.Ready(p.t.Context()); err != nil {
		p.t.Errorf("the replica that did not lead: %v", err)
	}
	if err := p.in.ResumeEtcd(); err != nil {
		p.t.Fatal(err)
	}
	p.goesOn(s)
	if other.ends.Load() != otherEnds {
		p.t.Error("the replica that did not lead has ended")
	}
}

// withoutPermissions ends all watches of replicas that may not begin new ones.
func (p pair) withoutPermissions(s space) {
	s.make("before")
	s.budgets(1)
	log := follow(p.t, p.first.Probity)
	restore := withdraw(p.t, s, "probity")
	p.stop()
	p.start()
	s.judged() // by what was known
	fresh := suite.New(p.t, p.in.ControlPlane, "fresh", "probity.dev/mode=enforce")
	if o, err := (space{fresh}).faulty(p.t.Context()); o != unjudged {
		p.t.Errorf("in a namespace that Probity may not read: outcome %d, %v", o, err)
	}
	log.tells("read namespace "+fresh.Name, "forbidden")
	// A namespace gets out of Probity's way without Probity.
	s.Label("probity.dev/mode=off")
	s.Eventually("the label to hold", func(ctx context.Context) bool {
		o, _ := s.faulty(ctx)
		return o == unjudged
	})
	s.Label("probity.dev/mode=enforce")
	restore()
	space{fresh}.judged()
	p.goesOn(s)
}

// withdraw takes a ClusterRoleBinding away, until restore is called or the test ends.
func withdraw(t testing.TB, s space, name string) (restore func()) {
	t.Helper()
	bindings := s.Client.RbacV1().ClusterRoleBindings()
	binding, err := bindings.Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := bindings.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	again := &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: binding.RoleRef, Subjects: binding.Subjects}
	restore = func() {
		_, err := bindings.Create(context.WithoutCancel(t.Context()), again, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			t.Error(errors.Join(errors.New("the ClusterRoleBinding could not be made again"), err))
		}
	}
	t.Cleanup(restore)
	return restore
}
