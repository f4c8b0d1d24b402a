package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// soak is a run.
type soak struct {
	plan
	cluster          *cluster
	stdout, progress io.Writer

	clients []*client
	lives   []*life
	asks    []ask
	answers []answer // to the asks

	tally tally
	seen  []sample
	first state // when the load begins
	last  state
}

// namespaces that objects are sent to, with their labels.
func namespaces() map[string]map[string]string {
	const mode, profile, inject = "probity.dev/mode", "probity.dev/profile", "probity.dev/inject"
	return map[string]map[string]string{
		"enforced":     {mode: "enforce"},
		"strict":       {mode: "enforce", profile: "strict"},
		"not-injected": {mode: "enforce", inject: "none"},
		"warned":       {mode: "warn"},
		"audited":      {mode: "audit"},
		"left-alone":   {mode: "off"},
		"not-labelled": {},
	}
}

func newSoak(ctx context.Context, c *cluster, p plan, stdout, progress io.Writer) (*soak, error) {
	s := &soak{plan: p, cluster: c, stdout: stdout, progress: progress}
	objects, err := corpus(c.Repository)
	if err != nil {
		return nil, err
	}
	var living object
	for _, o := range objects {
		if o.name == "Deployment with pods without startup probes" {
			living = o
		}
		for namespace := range namespaces() {
			s.asks = append(s.asks, ask{o, namespace})
		}
	}
	for i := range p.clients {
		client, err := newClient(c.ControlPlane.Admin())
		if err != nil {
			return nil, err
		}
		s.clients = append(s.clients, client)
		s.lives = append(s.lives, newLife(client, living, i))
	}
	return s, s.makeNamespaces(ctx)
}

func (s *soak) makeNamespaces(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(s.cluster.ControlPlane.Admin())
	if err != nil {
		return err
	}
	all := namespaces()
	all[livesNamespace] = map[string]string{"probity.dev/mode": "enforce"}
	all[moodyNamespace] = map[string]string{"probity.dev/mode": "enforce"}
	for name, labels := range all {
		if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	for name := range all {
		// Pods need the default service account, which a controller makes.
		err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
			_, err := client.CoreV1().ServiceAccounts(name).Get(ctx, "default", metav1.GetOptions{})
			return err == nil, nil
		})
		if err != nil {
			return fmt.Errorf("the default service account of %s: %w", name, err)
		}
	}
	return nil
}

// mostPasses bound the learning.
const mostPasses = 10

// learn asks everything until two passes in a row have the same answers: at first the
// API server and Probity have yet to hear of the namespaces. What is right is not
// judged here but by the end-to-end tests; the answers are there to be kept.
func (s *soak) learn(ctx context.Context) error {
	for pass := range mostPasses {
		before := s.answers
		if err := s.askAll(ctx); err != nil {
			return err
		}
		different := 0
		for i := range before {
			if before[i] != s.answers[i] {
				different++
			}
		}
		if pass > 0 && different == 0 && len(before) == len(s.answers) {
			return s.mixed()
		}
	}
	return fmt.Errorf("the answers to %d questions still change after %d passes", len(s.asks), mostPasses)
}

// askAll makes a pass, and drops objects that the API server does not take.
func (s *soak) askAll(ctx context.Context) error {
	got := make([]*answer, len(s.asks))
	var next atomic.Int64
	all, ctx := errgroup.WithContext(ctx)
	for _, c := range s.clients {
		all.Go(func() error {
			for i := int(next.Add(1)) - 1; i < len(s.asks); i = int(next.Add(1)) - 1 {
				a, err := c.ask(ctx, s.asks[i])
				switch {
				case err == nil:
					got[i] = &a
				case !errors.Is(err, errUseless):
					return fmt.Errorf("%s: %w", s.asks[i], err)
				}
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		return err
	}
	var kept []ask
	s.answers = nil
	for i, a := range got {
		if a != nil {
			kept, s.answers = append(kept, s.asks[i]), append(s.answers, *a)
		}
	}
	s.asks = kept
	return nil
}

// mixed tells what the questions are, and fails when a kind of answer is missing: then
// less would be proven than is meant.
func (s *soak) mixed() error {
	var allowed, refused, warned, injected int
	for _, a := range s.answers {
		switch {
		case a.refusal != "":
			refused++
		case a.warnings != "":
			warned++
		default:
			allowed++
		}
		if a.injected {
			injected++
		}
	}
	fmt.Fprintf(s.stdout, "%d questions, objects in namespaces: %d are refused, %d warned of, %d let through; into %d startup probes are injected.\n",
		len(s.asks), refused, warned, allowed, injected)
	if allowed == 0 || refused == 0 || warned == 0 || injected == 0 {
		return errors.New("not all kinds of answers are among them")
	}
	return nil
}
