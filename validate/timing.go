package validate

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/probity-dev/probity/workload"
)

// Numbers of the advice in messages. All are legal in both profiles.
const (
	// enoughFailures is a failureThreshold that no rule finds too low.
	enoughFailures = workload.DefaultFailureThreshold
	// startupPeriod and startupBudget are those of an injected startup probe.
	startupPeriod = 10
	startupBudget = 5 * time.Minute
	// shortDelay is an initialDelaySeconds that no rule finds too long.
	shortDelay = 30
)

// span writes a duration as messages do: in seconds, long ones in minutes too.
func span(d time.Duration) string {
	if d >= 2*time.Minute && d%time.Minute == 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", wholeSeconds(d))
}

// wholeSeconds rounds up.
func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// timing is the evidence of a rule about windows, in the API's fields.
func timing(p *workload.Probe) string {
	return fmt.Sprintf("failureThreshold %d, periodSeconds %d, timeoutSeconds %d", p.FailureThreshold, p.PeriodSeconds, p.TimeoutSeconds)
}

// longerWindow is the lowest failureThreshold with a worst window of at least
// that length.
func longerWindow(p *workload.Probe, window time.Duration) int32 {
	each := p.EffectivePeriod()
	return howOften(window-p.Timeout()+each-1, each)
}

// shorterWindow returns the probe with its worst window down to that length: by
// a failureThreshold of at least so many, else by the period, else by all fields.
func shorterWindow(p *workload.Probe, window time.Duration, failures int32) *workload.Probe {
	q := *p
	if n := howOften(window-p.Timeout(), p.EffectivePeriod()); n >= failures {
		q.FailureThreshold = n
		return &q
	}
	q.FailureThreshold = min(enoughFailures, p.FailureThreshold)
	room := howOften(window-p.Timeout(), time.Second)
	q.PeriodSeconds = room / q.FailureThreshold
	if q.PeriodSeconds <= p.TimeoutSeconds {
		q.PeriodSeconds = max(howOften(window, time.Second)/(q.FailureThreshold+1), 2)
		q.TimeoutSeconds = q.PeriodSeconds - 1
	}
	return &q
}

// howOften is how many whole times a duration fits into another one, at most what a
// field of the API holds: the longest windows are more seconds than that.
func howOften(window, each time.Duration) int32 {
	return int32(max(math.MinInt32, min(window/each, math.MaxInt32)))
}

// changes lists the fields in which a probe should differ from what it is:
// "periodSeconds 10 and failureThreshold 3".
func changes(prefix string, from, to *workload.Probe) string {
	var list []string
	for _, f := range [...]struct {
		name     string
		from, to int32
	}{
		{"timeoutSeconds", from.TimeoutSeconds, to.TimeoutSeconds},
		{"periodSeconds", from.PeriodSeconds, to.PeriodSeconds},
		{"failureThreshold", from.FailureThreshold, to.FailureThreshold},
	} {
		if f.from != f.to {
			list = append(list, fmt.Sprintf("%s%s %d", prefix, f.name, f.to))
		}
	}
	last := len(list) - 1
	if last <= 0 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// startupAdvice describes a startup probe that gives the container as much time
// as its liveness probe does, and no less than an injected one would.
func startupAdvice(liveness *workload.Probe) string {
	period := int(max(min(liveness.PeriodSeconds, startupPeriod), liveness.TimeoutSeconds+1))
	budget := wholeSeconds(max(startupBudget, liveness.InitialDelay()+liveness.WorstWindow()))
	failures := (budget + period - 1) / period
	return fmt.Sprintf("a startupProbe with the same check, periodSeconds %d and failureThreshold %d (%d s)", period, failures, period*failures)
}
