package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/measure"
)

// replicas are as many as the manifests say.
const replicas = 2

// cluster is a control plane with replicas of Probity behind a balancer.
type cluster struct {
	*install.Local
	balancer *install.Balancer
	replicas []*install.Probity
}

func startCluster(ctx context.Context, progress io.Writer) (_ *cluster, err error) {
	c := &cluster{}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.stop())
		}
	}()
	if c.Local, err = install.StartEmpty(ctx, 0, progress); err != nil {
		return nil, err
	}
	if c.balancer, err = install.NewBalancer(); err != nil {
		return nil, err
	}
	fmt.Fprintf(progress, "Installing Probity, %d replicas: kubectl apply -k manifests/base.\n", replicas)
	for range replicas {
		// Audits are frequent, so that they are part of what is watched.
		p, err := c.Install(ctx, install.Options{Args: []string{"--shutdown-delay=0s", "--audit-interval=1m"}, Call: c.balancer.Addr()})
		if err != nil {
			return nil, err
		}
		c.replicas = append(c.replicas, p)
	}
	// The API server keeps one connection, and so asks one of them: the other one is
	// watched as a replica that only follows.
	for _, p := range c.replicas {
		c.balancer.Add(p.Addr(), p.Ready)
	}
	return c, nil
}

func (c *cluster) stop() error {
	var errs []error
	for _, p := range c.replicas {
		errs = append(errs, p.Kill())
	}
	if c.balancer != nil {
		errs = append(errs, c.balancer.Close())
	}
	if c.Local != nil {
		errs = append(errs, c.Stop())
	}
	return errors.Join(errs...)
}

// state is what Probity and the API server have to say at one moment.
type state struct {
	replicas []measure.Process
	// reviews are those that each replica has answered.
	reviews []float64
	// failed are calls that ended in no answer, or in an error.
	failed float64
}

// state asks all of them. What failed is counted by Probity, as answers that were
// errors, panics and overload, and by the API server, as calls without an answer.
func (c *cluster) state(ctx context.Context) (s state, err error) {
	for _, p := range c.replicas {
		process, err := measure.Read(ctx, p)
		if err != nil {
			return s, err
		}
		s.replicas = append(s.replicas, process)
		families, err := p.Metrics(ctx)
		if err != nil {
			return s, err
		}
		sum := func(name string, labels map[string]string) float64 {
			v, _ := families.Sum(name, labels)
			return v
		}
		const decisions = "probity_admission_decisions_total"
		s.reviews = append(s.reviews, sum(decisions, nil))
		s.failed += sum(decisions, map[string]string{"decision": "error"}) + sum("probity_admission_panics_total", nil) + sum("probity_admission_rejected_total", nil)
	}
	open, err := c.Metric(ctx, "apiserver_admission_webhook_fail_open_count", nil)
	s.failed += open
	return s, err
}
