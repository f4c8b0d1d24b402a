package main

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// runUntil runs the manager until it is told to stop, and returns when it has ended.
//
// A manager that is told to stop before its copies of the cluster are whole never ends:
// it waits for them in a loop that takes a whole processor (Start of runnableGroup,
// controller-runtime v0.25). Such a one is left behind; it has nothing to finish, as
// the process was never ready.
func runUntil(stopping context.Context, mgr manager.Manager) error {
	whole := make(chan struct{})
	// Started after the copies are whole.
	if err := mgr.Add(onEachReplica(func(ctx context.Context) error {
		close(whole)
		<-ctx.Done()
		return nil
	})); err != nil {
		return fmt.Errorf("wait for the copies of the cluster: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(stopping) }()
	select {
	case err := <-ended:
		return err
	case <-stopping.Done():
	}
	select {
	case <-whole:
		return <-ended
	case err := <-ended:
		return err
	default:
		return nil
	}
}

// onEachReplica is a runnable that does not wait to be elected.
type onEachReplica func(context.Context) error

func (f onEachReplica) Start(ctx context.Context) error { return f(ctx) }

func (onEachReplica) NeedLeaderElection() bool { return false }
