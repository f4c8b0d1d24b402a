package validate

import (
	"fmt"
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
	injected := InjectedStartup(&w.Pod)
	for i := range w.Pod.Containers {
		if c := &w.Pod.Containers[i]; injected.has(c) && !GivesStartup(c.Startup, asked) {
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

// injectedPrefix is before the names in workload.AnnotationInjected.
const injectedPrefix = "startup:"

// Injected are the names of containers that were given a startup probe.
type Injected map[string]bool

// InjectedStartup returns the containers of which a pod template says so. It is to be
// asked once for a pod: both it and the pod may be long.
func InjectedStartup(pod *workload.Pod) Injected {
	names, ok := strings.CutPrefix(pod.Annotations[workload.AnnotationInjected], injectedPrefix)
	if !ok {
		return nil
	}
	injected := Injected{}
	for name := range strings.SplitSeq(names, ",") {
		injected[name] = true
	}
	return injected
}

// has reports whether Probity gave the container the startup probe that it has.
func (i Injected) has(c *workload.Container) bool {
	return c.Startup != nil && !c.Startup.Invalid && i[c.Name]
}

// InjectedNote is the annotation that InjectedStartup reads.
func InjectedNote(containers []string) string { return injectedPrefix + strings.Join(containers, ",") }
