package budget

import (
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/probity-dev/probity/validate"
)

const (
	// The first time a budget is put back at once, then with pauses that double up
	// to a bound: who else keeps changing it must not make a hot loop of the two.
	firstPause = 2 * time.Second
	longPause  = 5 * time.Minute
	// peace is how long nobody must have changed it for that to be forgotten.
	peace = 10 * time.Minute
)

// restraint spaces the times at which one budget is put back.
type restraint struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	last  map[validate.Identity]restored
}

type restored struct {
	at    time.Time
	pause time.Duration
}

func newRestraint(c clock.PassiveClock) *restraint {
	return &restraint{clock: c, last: map[validate.Identity]restored{}}
}

// wait returns how long to wait before a workload's budget is put back; with 0 it
// is to be done now, and the next one waits.
func (r *restraint) wait(id validate.Identity) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	for other, was := range r.last {
		if now.Sub(was.at) > peace {
			delete(r.last, other)
		}
	}
	was, ok := r.last[id]
	if !ok {
		r.last[id] = restored{now, firstPause}
		return 0
	}
	if rest := was.at.Add(was.pause).Sub(now); rest > 0 {
		return rest
	}
	r.last[id] = restored{now, min(2*was.pause, longPause)}
	return 0
}
