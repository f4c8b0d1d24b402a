package validate

import (
	"fmt"
	"time"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "startup-budget",
		Title:    "A startup probe gives the start its time, and no more than the rollout has",
		Category: Timing,
		Why: `A container that has not passed its startup probe within ` + "`initialDelaySeconds + failureThreshold × periodSeconds`" + ` is
killed, and starts again from nothing. A budget of seconds is spent by a cold image cache or a busy node, and the container never comes up; one
shorter than what liveness bears makes the start stricter than the work. With one second, or a single failure, the first failed check kills.

A budget of an hour hides a container that will never start. One over the Deployment's ` + "`progressDeadlineSeconds`" + ` (600 by default)
has the rollout reported as failed, or rolled back by a tool, while the container may still start.

What the annotation ` + "`probity.dev/startup-budget`" + ` asks Probity to inject is judged by the same limits.`,
		Fix:   "Change `failureThreshold`: a generous budget costs nothing, since the probe ends with its first passed check. A start of more than ten minutes needs a longer `progressDeadlineSeconds` too.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#define-startup-probes",
			"https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#progress-deadline-seconds",
		},
		Params: []Param{
			{Name: "min", Doc: "The shortest legal budget.", Baseline: 10 * time.Second, Strict: 10 * time.Second},
			{Name: "max", Doc: "The longest.", Baseline: 30 * time.Minute, Strict: 30 * time.Minute},
		},
		Action: ByProfile{Deny, Deny}, // a budget of one second
		Likely: ByProfile{Warn, Deny},
		Check:  checkStartupBudget,
	})
}

func checkStartupBudget(p *Pass) {
	injected := InjectedStartup(&p.Workload.Pod)
	asked := reportAskedStartup(p, injected)
	for probe := range p.Probes(workload.Startup) {
		b := startBudget{Probe: probe, least: p.Duration("min"), most: p.Duration("max")}
		b.deadline, b.hasDeadline = progressDeadline(p.Workload)
		b.injected = injected.has(probe.Container)
		if b.injected && asked {
			continue // the annotation is what is to be changed
		}
		if r, broken := b.judge(); broken {
			r.Evidence = timing(probe.Probe)
			p.Report(probe, r)
		}
	}
}

// reportAskedStartup judges what the workload's annotation asks for, as no probe shows
// it before it is injected.
func reportAskedStartup(p *Pass, injected Injected) (broken bool) {
	asked, err := AskedStartup(p.Workload)
	if err != nil || asked == 0 {
		return false
	}
	bears, takes := livenessThatAsks(p, injected)
	if !takes {
		return false // there is nothing to inject
	}
	text, least, most := p.Workload.Annotations[workload.AnnotationStartupBudget], p.Duration("min"), p.Duration("max")
	r := Report{Field: AnnotationPath(workload.AnnotationStartupBudget), Evidence: text, Likely: true}
	deadline, hasDeadline := progressDeadline(p.Workload)
	switch {
	case asked < least:
		r.Text = fmt.Sprintf("asks for %s to start, under %s; a busy node alone takes longer, and then the container is killed over and over", text, span(least))
		r.Fix = fmt.Sprintf("Ask for %s or more.", span(max(least, bears)))
	case asked < min(bears, most):
		r.Text = fmt.Sprintf("asks for %s to start, and livenessProbe bears %d s of failed checks; a start is then killed sooner than a hang", text, wholeSeconds(bears))
		r.Fix = fmt.Sprintf("Ask for %s or more.", span(min(bears, most)))
	case asked > most:
		r.Text = fmt.Sprintf("asks for %s to start, over %s; until then a container that never comes up looks as if it were starting", text, span(most))
		r.Fix = fmt.Sprintf("Ask for %s or less.", span(most))
		if room := max(deadline, bears); hasDeadline && room < most {
			r.Fix = fmt.Sprintf("Ask for %s or less, as the rollout's progressDeadlineSeconds is %d, or for %s with spec.progressDeadlineSeconds %d.",
				span(room), wholeSeconds(deadline), span(most), wholeSeconds(most)+60)
		}
	case hasDeadline && asked > max(deadline, bears):
		r.Text = fmt.Sprintf("asks for %s to start, and progressDeadlineSeconds of the rollout is %d; it is reported as failed while the container may still start",
			text, wholeSeconds(deadline))
		r.Fix = fmt.Sprintf("Set spec.progressDeadlineSeconds %d, or ask for %s or less.", wholeSeconds(asked)+60, span(max(deadline, bears)))
	default:
		return false
	}
	p.ReportWorkload(r)
	return true
}

// livenessThatAsks returns the most that a liveness probe bears of those that Probity
// gave a startup probe, or may give one; false when there is none.
func livenessThatAsks(p *Pass, injected Injected) (bears time.Duration, found bool) {
	if kind := p.Workload.Ref.Kind; kind == "Job" || kind == "CronJob" {
		return 0, false
	}
	for live := range p.Probes(workload.Liveness) {
		if c := live.Container; c.Startup == nil || injected.has(c) {
			bears, found = max(bears, live.Tolerance()), true
		}
	}
	return bears, found
}
