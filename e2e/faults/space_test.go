package faults

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

// space is a namespace of one test.
type space struct{ *suite.Space }

// newSpace makes a namespace under enforcement, and waits until that holds.
func newSpace(t testing.TB, in *install.Local) space {
	t.Helper()
	s := space{suite.New(t, in.ControlPlane, "faults", "probity.dev/mode=enforce")}
	s.judged()
	return s
}

// What can become of a request.
type outcome int

const (
	// judged: Probity refused what is at fault.
	judged outcome = iota
	// unjudged: the request went through as if there were no Probity.
	unjudged
	// refused: the API server refused it, since nobody answered.
	refused
	// other: something that has nothing to do with Probity.
	other
)

// faulty asks for a Deployment with a fault, as a dry run.
func (s space) faulty(ctx context.Context) (outcome, error) { return s.ask(ctx, suite.AsksDatabase) }

func (s space) ask(ctx context.Context, container string) (outcome, error) {
	deployment := &appsv1.Deployment{}
	if err := yaml.UnmarshalStrict([]byte(suite.Deployment("asked", 2, container)), deployment); err != nil {
		return other, err
	}
	_, err := s.Client.AppsV1().Deployments(s.Name).Create(ctx, deployment, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	switch {
	case err == nil:
		return unjudged, nil
	case strings.Contains(err.Error(), "denied the request: container \"app\": livenessProbe"):
		return judged, nil
	case strings.Contains(err.Error(), "failed calling webhook"):
		return refused, err
	default:
		return other, err
	}
}

// judged waits until what is at fault is refused.
func (s space) judged() {
	s.T.Helper()
	s.Await("a refusal of what is at fault", func(ctx context.Context) error {
		switch o, err := s.faulty(ctx); {
		case err != nil:
			return err
		case o != judged:
			return errors.New("it went through")
		}
		return nil
	})
}

// stillJudged fails the test when what is at fault is not refused at once.
func (s space) stillJudged(when string) {
	s.T.Helper()
	if !s.judges(when) {
		s.T.Errorf("%s: what is at fault was not judged", when)
	}
}

// judges says, and otherwise logs why not, whether a request was judged. It asks again
// only when this process, too, stood still for a second of the two that the API server
// waits: then it was the machine.
func (s space) judges(when string) bool {
	s.T.Helper()
	for {
		log := since(s.T, s.APIServerLog())
		var o outcome
		var err error
		begin := time.Now()
		still := standstill(func() {
			// Unjudged, a request goes on to etcd, which may never answer.
			ctx, cancel := context.WithTimeout(s.T.Context(), 10*time.Second)
			defer cancel()
			o, err = s.faulty(ctx)
		})
		if o == judged {
			return true
		}
		s.T.Logf("%s: not judged within %s, in which the machine stood still for %s: outcome %d, %v; the API server says:\n%s",
			when, time.Since(begin).Round(time.Millisecond), still.Round(time.Millisecond), o, err, strings.Join(log.lines("webhook"), ""))
		if still < time.Second {
			return false
		}
	}
}

// standstill returns for how long at most this process did not run meanwhile.
func standstill(meanwhile func()) (longest time.Duration) {
	const beat = 20 * time.Millisecond
	done, counted := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(counted)
		for ended := false; !ended; {
			last := time.Now()
			select {
			case <-done:
				ended = true
			case <-time.After(beat):
			}
			longest = max(longest, time.Since(last)-beat)
		}
	}()
	meanwhile()
	close(done)
	<-counted
	return longest
}

// make creates a Deployment that gets a budget.
func (s space) make(name string) {
	s.T.Helper()
	s.Admin(suite.Deployment(name, 2, suite.AsksItself), "apply", "-f", "-")
}

// budgets waits until there are as many.
func (s space) budgets(want int) {
	s.T.Helper()
	s.Await(fmt.Sprintf("%d disruption budgets", want), func(ctx context.Context) error {
		list, err := s.Client.PolicyV1().PodDisruptionBudgets(s.Name).List(ctx, metav1.ListOptions{})
		if err == nil && len(list.Items) != want {
			err = fmt.Errorf("there are %d", len(list.Items))
		}
		return err
	})
}

// failing sets the failurePolicy of all of Probity's webhooks.
func (s space) failing(policy admissionregistrationv1.FailurePolicyType) {
	s.T.Helper()
	ctx := context.WithoutCancel(s.T.Context()) // Tests put it back when they end.
	operations := func(webhooks int) []byte {
		var all []string
		for i := range webhooks {
			all = append(all, fmt.Sprintf(`{"op": "replace", "path": "/webhooks/%d/failurePolicy", "value": %q}`, i, policy))
		}
		return []byte("[" + strings.Join(all, ",") + "]")
	}
	validating, mutating := s.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations(), s.Client.AdmissionregistrationV1().MutatingWebhookConfigurations()
	v, err := validating.Get(ctx, "probity", metav1.GetOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	m, err := mutating.Get(ctx, "probity", metav1.GetOptions{})
	if err != nil {
		s.T.Fatal(err)
	}
	if _, err := validating.Patch(ctx, "probity", types.JSONPatchType, operations(len(v.Webhooks)), metav1.PatchOptions{}); err != nil {
		s.T.Fatal(err)
	}
	if _, err := mutating.Patch(ctx, "probity", types.JSONPatchType, operations(len(m.Webhooks)), metav1.PatchOptions{}); err != nil {
		s.T.Fatal(err)
	}
}

// borrow stops the Probity that tests share, for one with replicas of its own, and
// installs it again afterwards.
func borrow(t testing.TB) {
	t.Helper()
	if err := local.Probity.Stop(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		again, err := local.Install(context.WithoutCancel(t.Context()), install.Options{Args: arguments()})
		if err != nil {
			t.Error(err)
			return
		}
		local.Probity = again
	})
}
