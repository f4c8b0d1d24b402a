package validate

import (
	"fmt"
	"time"

	"github.com/probity-dev/probity/workload"
)

// startBudget is a startup probe with the limits of its budget.
type startBudget struct {
	Probe
	least, most, deadline time.Duration
	hasDeadline           bool
	// injected is set on a probe that Probity added.
	injected bool
}

func (b *startBudget) judge() (Report, bool) {
	have := b.StartupBudget()
	bears := min(b.livenessBears(), b.room()) // more is liveness-window's matter
	switch {
	case have <= time.Second:
		return Report{
			Text: fmt.Sprintf("gives the container %s; nothing starts in that time, so it is killed over and over", b.shown()),
			Fix:  b.raise(max(b.least, bears)),
		}, true
	case b.FailureThreshold == 1 && b.InitialDelay() < b.least:
		return Report{
			Text: fmt.Sprintf("kills the container at the first failed check (failureThreshold 1), as early as %d s after its start; a slow moment is enough for that, over and over",
				b.InitialDelaySeconds),
			Fix:    b.raise(max(b.least, bears)),
			Likely: true,
		}, true
	case have < b.least:
		return Report{
			Text:   fmt.Sprintf("gives the container %s, under %s; a busy node alone takes longer, and then it is killed over and over", b.shown(), span(b.least)),
			Fix:    b.raise(max(b.least, bears)),
			Likely: true,
		}, true
	case have < bears:
		return Report{
			Text: fmt.Sprintf("gives the container %s, and livenessProbe bears %d s of failed checks; a start is then killed sooner than a hang",
				b.shown(), wholeSeconds(b.livenessBears())),
			Fix:    b.raise(bears),
			Likely: true,
		}, true
	case b.injected:
		return Report{}, false // it is as long as the liveness probe and its author made it
	case have > b.most:
		over := span(b.most)
		if b.hasDeadline && b.deadline < b.most {
			over += fmt.Sprintf(" and over the rollout's progressDeadlineSeconds, %d", wholeSeconds(b.deadline))
		}
		return Report{
			Text:   fmt.Sprintf("gives the container %s, over %s; until then one that never comes up looks as if it were starting", b.shown(), over),
			Fix:    b.withinBoth(),
			Likely: true,
		}, true
	case b.hasDeadline && have > b.deadline:
		return Report{
			Text: fmt.Sprintf("gives the container %s, and progressDeadlineSeconds of the rollout is %d; it is reported as failed while the container may still start",
				b.shown(), wholeSeconds(b.deadline)),
			Fix:    b.longerDeadline(),
			Likely: true,
		}, true
	default:
		return Report{}, false
	}
}

// livenessBears is F*P of the liveness probe, 0 without one.
func (b *startBudget) livenessBears() time.Duration {
	live := b.Container.Liveness
	if live == nil || live.Invalid {
		return 0
	}
	return live.Tolerance()
}

func (b *startBudget) shown() string {
	s := fmt.Sprintf("%d s to start (", wholeSeconds(b.StartupBudget()))
	if b.InitialDelaySeconds > 0 {
		s += fmt.Sprintf("initialDelaySeconds %d, ", b.InitialDelaySeconds)
	}
	return s + fmt.Sprintf("failureThreshold %d, periodSeconds %d)", b.FailureThreshold, b.PeriodSeconds)
}

// raise says how to bring the budget up to a length and stay within the limits.
func (b *startBudget) raise(to time.Duration) string {
	n := max(enoughFailures, b.checks(to+b.Period()-1))
	if b.InitialDelay()+time.Duration(n)*b.Period() <= b.limit() {
		return fmt.Sprintf("Set failureThreshold %d.", n)
	}
	period := b.usualPeriod()
	n = (wholeSeconds(min(max(to, startupBudget), b.room())) + period - 1) / period
	return fmt.Sprintf("Set initialDelaySeconds 0, periodSeconds %d and failureThreshold %d.", period, n)
}

// lower says how to bring the budget down within the limits.
func (b *startBudget) lower() string {
	n := b.checks(b.limit())
	if n >= enoughFailures && b.InitialDelay()+time.Duration(n)*b.Period() >= min(b.livenessBears(), b.room()) {
		return fmt.Sprintf("failureThreshold %d", n)
	}
	period := b.usualPeriod()
	return fmt.Sprintf("initialDelaySeconds 0, periodSeconds %d and failureThreshold %d", period, wholeSeconds(b.limit())/period)
}

// withinBoth brings the budget down: to what the rollout's deadline leaves, or with a
// longer deadline to the most that is legal.
func (b *startBudget) withinBoth() string {
	if b.limit() == b.most {
		return "Set " + b.lower() + "."
	}
	longer := *b
	longer.deadline = b.most + time.Minute
	return fmt.Sprintf("Set %s, or %s with spec.progressDeadlineSeconds %d.", b.lower(), longer.lower(), wholeSeconds(longer.deadline))
}

// longerDeadline gives the rollout more time, unless the start would then be
// judged against a liveness probe that bears even more; or the start less.
func (b *startBudget) longerDeadline() string {
	if b.livenessBears() > b.StartupBudget() {
		return "Set " + b.lower() + "."
	}
	return fmt.Sprintf("Set spec.progressDeadlineSeconds %d, or %s.", wholeSeconds(b.StartupBudget())+60, b.lower())
}

// checks is how many periods fit between the initial delay and that time.
func (b *startBudget) checks(until time.Duration) int {
	return int((until - b.InitialDelay()) / b.Period())
}

func (b *startBudget) limit() time.Duration {
	if b.hasDeadline {
		return min(b.most, b.deadline)
	}
	return b.most
}

// room is a budget that stays within the limits when whole periods make it up.
func (b *startBudget) room() time.Duration {
	return b.limit() - time.Duration(b.usualPeriod())*time.Second
}

// usualPeriod is that of an injected startup probe.
func (b *startBudget) usualPeriod() int { return max(startupPeriod, int(b.TimeoutSeconds)+1) }

// progressDeadline returns how long a rollout may go without progress, and false
// for a kind that has no such limit. Argo's Rollout has the default of a Deployment:
// argo-rollouts.readthedocs.io/en/stable/features/specification.
func progressDeadline(w *workload.Workload) (time.Duration, bool) {
	const byDefault = 10 * time.Minute
	if w.Ref.Kind != "Deployment" && w.Ref.Kind != "Rollout" {
		return 0, false
	}
	deadline := w.Rollout.ProgressDeadlineSeconds
	if deadline == nil {
		return byDefault, true
	}
	return time.Duration(*deadline) * time.Second, *deadline > 0
}
