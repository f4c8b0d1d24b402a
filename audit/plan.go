package audit

import (
	"math/rand/v2"
	"time"
)

// jitter is the part of the interval by which scans are spread, so that clusters
// that were made together do not all scan at once.
const jitter = 0.1

// plan says when something is due. A zero time is never.
type plan struct {
	interval                  time.Duration
	scan, look, changed, redo time.Time
}

func newPlan(interval time.Duration) *plan {
	p := &plan{interval: interval, look: time.Now().Add(lookTime)}
	p.scanned()
	return p
}

// scanned sets the time of the next scan of everything.
func (p *plan) scanned() {
	spread := 1 + jitter*(2*rand.Float64()-1) //nolint:gosec // spreads the load; nobody gains by guessing it
	p.scan = time.Now().Add(time.Duration(float64(p.interval) * spread))
}

// change is told that something has changed. Changes that go on do not put it off.
func (p *plan) change() {
	if p.changed.IsZero() {
		p.changed = time.Now().Add(settleTime)
	}
}

// retry is told whether anything is to be tried again.
func (p *plan) retry(needed bool) {
	switch {
	case !needed:
		p.redo = time.Time{}
	case p.redo.IsZero():
		p.redo = time.Now().Add(retryTime)
	}
}

// next returns the time at which something is due.
func (p *plan) next() time.Time {
	next := p.scan
	for _, t := range [...]time.Time{p.look, p.changed, p.redo} {
		if !t.IsZero() && t.Before(next) {
			next = t
		}
	}
	return next
}

func due(t, now time.Time) bool { return !t.IsZero() && !now.Before(t) }

// The following report whether something is due, and take it off the plan.

func (p *plan) scans(now time.Time) bool { return due(p.scan, now) }

func (p *plan) looks(now time.Time) bool {
	if !due(p.look, now) {
		return false
	}
	p.look = now.Add(lookTime)
	return true
}

func (p *plan) changes(now time.Time) bool {
	if !due(p.changed, now) {
		return false
	}
	p.changed = time.Time{}
	return true
}

func (p *plan) retries(now time.Time) bool {
	if !due(p.redo, now) {
		return false
	}
	p.redo = time.Time{}
	return true
}
