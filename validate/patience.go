package validate

import (
	"math"
	"time"

	"github.com/probity-dev/probity/workload"
)

// settled returns the probe with the fewest changes after which no rule about the
// numbers of a single probe finds anything, as the policy has these rules. What the
// messages of these rules advise is taken from it, so that two about one probe agree.
func (p *Pass) settled(probe Probe, from *workload.Probe) *workload.Probe {
	q := *from
	if least, on := p.of("exec-timeout").duration("min"); on && probe.Exec != nil && q.Timeout() < least && p.Command(probe).Heavy != "" {
		q.TimeoutSeconds = inSeconds(least)
	}
	q.PeriodSeconds = max(q.PeriodSeconds, inSeconds(p.leastPeriod(probe)))
	if q.TimeoutSeconds >= q.PeriodSeconds && p.of("probe-timeout-period") != nil {
		q.TimeoutSeconds = min(q.TimeoutSeconds, math.MaxInt32-1) // what a field holds
		q.PeriodSeconds = q.TimeoutSeconds + 1
	}
	switch probe.Type {
	case workload.Liveness:
		return p.settledLiveness(&q)
	case workload.Readiness:
		if most, on := p.of("readiness-window").duration("max"); on && q.WorstWindow() > most {
			return shorterWindow(&q, most, 1)
		}
	case workload.Startup:
		return p.settledStartup(probe, &q)
	}
	return &q
}

// inSeconds rounds up to what a field of the API holds.
func inSeconds(d time.Duration) int32 { return howOften(d+time.Second-1, time.Second) }

// leastPeriod is what probe-period asks of a probe, 0 when nothing does.
func (p *Pass) leastPeriod(probe Probe) (least time.Duration) {
	rule := p.of("probe-period")
	if of, on := rule.duration("min"); on && probe.Type == workload.Liveness {
		least = of
	}
	if of, on := rule.duration("minExec"); on && probe.Exec != nil {
		least = max(least, of)
	}
	return least
}

func (p *Pass) settledLiveness(q *workload.Probe) *workload.Probe {
	failures := int32(1)
	if rule := p.of("liveness-failure-threshold"); rule != nil {
		failures = int32(max(1, min(rule.param("min").(int), math.MaxInt32)))
	}
	if q.FailureThreshold < failures {
		q.FailureThreshold = max(failures, workload.DefaultFailureThreshold)
	}
	window := p.of("liveness-window")
	if least, on := window.duration("min"); on && q.WorstWindow() < least {
		q.FailureThreshold = max(q.FailureThreshold, longerWindow(q, least))
	}
	if most, on := window.duration("max"); on && q.WorstWindow() > most {
		return shorterWindow(q, most, max(failures, min(enoughFailures, q.FailureThreshold)))
	}
	return q
}

// settledStartup keeps a longer period from bringing the budget over its limit.
func (p *Pass) settledStartup(probe Probe, q *workload.Probe) *workload.Probe {
	most, on := p.of("startup-budget").duration("max")
	if !on || q.PeriodSeconds == probe.PeriodSeconds {
		return q
	}
	b := startBudget{Probe: probe, most: most}
	b.deadline, b.hasDeadline = progressDeadline(p.Workload)
	if b.StartupBudget() > b.limit() || q.StartupBudget() <= b.limit() {
		return q
	}
	room := b.limit() - q.InitialDelay()
	if period := howOften(room, enoughFailures*time.Second); q.PeriodSeconds > period && period > 1 {
		q.PeriodSeconds, q.TimeoutSeconds = period, min(q.TimeoutSeconds, period-1)
	}
	q.FailureThreshold = max(1, howOften(room, q.Period()))
	return q
}

// of returns another rule as the policy has it, nil when it is off.
func (p *Pass) of(rule string) *setting {
	for i := range p.policy.settings {
		if s := &p.policy.settings[i]; s.rule.ID == rule {
			if s.action == Off {
				return nil
			}
			return s
		}
	}
	panic("there is no rule " + rule)
}

// duration returns a parameter, and false when the rule is off.
func (s *setting) duration(name string) (time.Duration, bool) {
	if s == nil {
		return 0, false
	}
	return s.param(name).(time.Duration), true
}
