package suite

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Patience bounds every wait. On an idle machine nothing takes nearly as long: the
// longest, until the pods of a lost node are taken for lost, is about a minute.
const Patience = 4 * time.Minute

// Await polls until the check has nothing to say, and fails the test with what it said
// last when that takes too long.
func Await(t testing.TB, what string, check func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		err := check(ctx)
		if err == nil {
			return
		}
		if ctx.Err() == nil || last == nil {
			last = err // Not that the time was up in the middle of a check.
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s: not within %s: %v", what, Patience, last)
		case <-tick.C:
		}
	}
}

// Eventually is Await for a condition that has no more to say than whether it holds.
func Eventually(t testing.TB, what string, ok func(context.Context) bool) {
	t.Helper()
	Await(t, what, func(ctx context.Context) error {
		if !ok(ctx) {
			return errors.New("it is not so yet")
		}
		return nil
	})
}
