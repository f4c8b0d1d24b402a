package validate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/probity-dev/probity/workload"
)

// AskedStartup returns the time to start that a workload's annotation asks for, and 0
// without one.
func AskedStartup(w *workload.Workload) (time.Duration, error) {
	text, ok := w.Annotations[workload.AnnotationStartupBudget]
	if !ok {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("annotation %s: %s is not legal: must be a duration such as 10m or 1h30m", workload.AnnotationStartupBudget, quote(text))
	}
	const century = 100 * 365 * 24 * time.Hour // more would overflow in sums
	return min(d, century), nil
}

// GivesStartup reports whether a startup probe gives the time that is asked for, in
// whole periods.
func GivesStartup(p *workload.Probe, asked time.Duration) bool {
	more := p.StartupBudget() - asked
	return more >= 0 && more < p.Period()
}

// heeding returns the policy as a workload's own annotation has it: one that is not
// legal says nothing.
func (p *Policy) heeding(w *workload.Workload) *Policy {
	s, err := Settings{Injection: p.injection}.ForWorkload(w)
	if err != nil || s.Injection == p.injection {
		return p
	}
	return p.WithInjection(s.Injection)
}

// injectionNotices are about what a workload's annotations ask of Probity to inject.
func injectionNotices(w *workload.Workload, p *Policy) []Notice {
	var notices []Notice
	if _, err := (Settings{}).ForWorkload(w); err != nil {
		notices = append(notices, injectionNotice(workload.AnnotationInject, err.Error()))
	}
	asked, err := AskedStartup(w)
	if err != nil {
		return append(notices, injectionNotice(workload.AnnotationStartupBudget, err.Error()))
	}
	if asked == 0 || w.Ref.Kind == "Pod" { // whose probes nobody can change
		return notices
	}
	for i := range w.Pod.Containers {
		if c := &w.Pod.Containers[i]; injectedStartup(&w.Pod, c) && !GivesStartup(c.Startup, asked) {
			notices = append(notices, injectionNotice(workload.AnnotationStartupBudget, outdated(w, c, asked, p)))
		}
	}
	return notices
}

func injectionNotice(key, message string) Notice {
	return Notice{Kind: NoticeInjection, Path: AnnotationPath(key), Message: message}
}

// outdated says that an injected probe is not what the annotation asks for now.
func outdated(w *workload.Workload, c *workload.Container, asked time.Duration, p *Policy) string {
	n := max(1, (asked-c.Startup.InitialDelay()+c.Startup.Period()-1)/c.Startup.Period())
	how := fmt.Sprintf("set its failureThreshold %d", n)
	if p.injection.Startup {
		how += ", or remove the startupProbe and it is injected anew"
	}
	return fmt.Sprintf("annotation %s: asks for %s, and the startupProbe that container %q was given before gives %d s and is not changed: %s",
		workload.AnnotationStartupBudget, w.Annotations[workload.AnnotationStartupBudget], c.Name, wholeSeconds(c.Startup.StartupBudget()), how)
}

// injectedStartup reports whether the pod template says that Probity gave this
// container the startup probe that it has.
func injectedStartup(pod *workload.Pod, c *workload.Container) bool {
	return c.Startup != nil && !c.Startup.Invalid && slices.Contains(InjectedStartup(pod), c.Name)
}

// injectedPrefix is before the names in workload.AnnotationInjected.
const injectedPrefix = "startup:"

// InjectedStartup returns the names of the containers that a pod template says were
// given a startup probe.
func InjectedStartup(pod *workload.Pod) []string {
	names, ok := strings.CutPrefix(pod.Annotations[workload.AnnotationInjected], injectedPrefix)
	if !ok {
		return nil
	}
	return strings.Split(names, ",")
}

// InjectedNote is the annotation that InjectedStartup reads.
func InjectedNote(containers []string) string { return injectedPrefix + strings.Join(containers, ",") }
