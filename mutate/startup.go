// Package mutate injects what is missing as JSON Patch operations: explicit ones
// on absent fields, never a re-marshalled object, so that fields it does not know
// survive. It is pure, and applying its patch twice is applying it once.
package mutate

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// DefaultStartupBudget is the shortest startup budget that is injected unless
// the configuration or the workload says otherwise.
const DefaultStartupBudget = 5 * time.Minute

// maxStartupPeriod keeps a started container from waiting long for its first
// liveness check.
const maxStartupPeriod = 10 // seconds

// Object is a workload with the JSON that it was decoded from.
type Object struct {
	*workload.Workload
	Raw []byte
}

// Operation is one operation of a JSON Patch (RFC 6902). Op is always "add".
type Operation struct {
	Op    string         `json:"op"`
	Path  string         `json:"path"`
	Value jsontext.Value `json:"value"`
}

// Injection is what Startup adds.
type Injection struct {
	Patch []Operation
	// Containers are the names of those that get a startup probe, in order.
	Containers []string
}

// Startup gives every probed container that has liveness and no startup probe
// one that asks the same, with time enough to start: of at least budget, never
// less than the liveness probe gave it, or of what the annotation
// probity.dev/startup-budget says.
//
// It gives nothing for Jobs, for what a controller or a deletion is at work on,
// for a liveness probe that has a finding which denies, and on an update that
// leaves the pod template as it is: mutation never causes a rollout. old is nil
// on CREATE. An update that drops a probe which was injected before gets the
// same probe back, byte for byte, also from a later version of Probity.
func Startup(obj Object, old *Object, findings []validate.Finding, budget time.Duration) (Injection, error) {
	if !Injectable(obj.Workload) {
		return Injection{}, nil
	}
	if old != nil {
		same, err := sameTemplate(obj, *old)
		if err != nil || same {
			return Injection{}, err
		}
	}
	var in Injection
	refused, now, before := validate.RefusedLiveness(findings), newSource(obj), newHistory(obj, old)
	for i := range obj.Pod.Containers {
		c := &obj.Pod.Containers[i]
		if !wants(c) || refused[c.Name] {
			continue
		}
		probe, err := startupProbe(now, c, before, budget)
		if err != nil {
			return Injection{}, fmt.Errorf("%s: container %q: %w", obj.Ref, c.Name, err)
		}
		in.Containers = append(in.Containers, c.Name)
		in.Patch = append(in.Patch, Operation{"add", workload.Pointer(obj.Pod.ContainerPath(c)) + "/startupProbe", probe})
	}
	if len(in.Patch) == 0 {
		return Injection{}, nil
	}
	note, err := annotate(obj, in.Containers)
	if err != nil {
		return Injection{}, fmt.Errorf("%s: %w", obj.Ref, err)
	}
	in.Patch = append(in.Patch, note)
	return in, nil
}

// StartupBudgets returns how long containers may take to start under the probes that
// Startup gives a new object, by their names.
func StartupBudgets(w *workload.Workload, findings []validate.Finding, budget time.Duration) map[string]time.Duration {
	budgets := map[string]time.Duration{}
	if !Injectable(w) {
		return budgets
	}
	refused := validate.RefusedLiveness(findings)
	for i := range w.Pod.Containers {
		if c := &w.Pod.Containers[i]; wants(c) && !refused[c.Name] {
			t := StartupTiming(c.Liveness, budgetOf(w, c.Liveness, budget))
			budgets[c.Name] = time.Duration(t.FailureThreshold) * time.Duration(t.PeriodSeconds) * time.Second
		}
	}
	return budgets
}

// Injectable reports whether a workload is of a kind and in a state that gets
// startup probes: a Job restarts by its own count, and a Pod with a controller
// is compared by it with what it made.
func Injectable(w *workload.Workload) bool {
	switch {
	case len(w.Problems) > 0: // refused anyway, and nothing to patch around
		return false
	case w.Deleting, w.Ref.Kind == "Job", w.Ref.Kind == "CronJob", w.Pod.Annotations["kubernetes.io/config.mirror"] != "":
		return false
	default:
		return w.Ref.Kind != "Pod" || w.Controller == nil
	}
}

func wants(c *workload.Container) bool {
	if c.Liveness == nil || c.Liveness.Invalid || c.Startup != nil {
		return false
	}
	port, dials := c.Liveness.Port()
	// A custom kind may fill an absent port in later, and refuse one here.
	return !dials || port != workload.Port{}
}

// sameTemplate compares the pod templates as they are written: the API server
// writes both sides of an update the same way.
func sameTemplate(a, b Object) (bool, error) {
	pointer := workload.Pointer(templatePath(a.Workload))
	now, err := workload.Raw(a.Raw, pointer)
	if err != nil {
		return false, fmt.Errorf("%s: %w", a.Ref, err)
	}
	before, err := workload.Raw(b.Raw, pointer)
	if err != nil {
		return false, nil //nolint:nilerr // the old object had no template: this update brings it
	}
	return bytes.Equal(now, before), nil
}

// templatePath is the field path of the pod template; for a Pod, whose metadata
// is the object's own, of its spec.
func templatePath(w *workload.Workload) string {
	return strings.TrimSuffix(w.Pod.Path, ".spec")
}

func startupProbe(obj *source, c *workload.Container, before *history, budget time.Duration) (jsontext.Value, error) {
	liveness, err := obj.probe(c, "livenessProbe")
	if err != nil {
		return nil, err
	}
	if probe, ok := before.startup(c.Name, liveness); ok {
		return probe, nil
	}
	return withTiming(liveness, StartupTiming(c.Liveness, budgetOf(obj.Workload, c.Liveness, budget)))
}

// budgetOf returns the startup budget of a container: what the workload's
// annotation says, or what the configuration and the liveness probe ask for.
func budgetOf(w *workload.Workload, liveness *workload.Probe, budget time.Duration) time.Duration {
	// An annotation that is not legal says nothing here; who writes it is told so.
	if asked, err := validate.AskedStartup(w); err == nil && asked > 0 {
		return asked
	}
	return max(budget, liveness.InitialDelay()+liveness.WorstWindow())
}

// Timing is what a startup probe does not take from the liveness probe.
type Timing struct{ PeriodSeconds, FailureThreshold int32 }

// StartupTiming returns the period min(liveness's, 10 s), but above the timeout,
// and the failureThreshold that gives at least the budget.
func StartupTiming(liveness *workload.Probe, budget time.Duration) Timing {
	period := max(min(liveness.PeriodSeconds, maxStartupPeriod), liveness.TimeoutSeconds+1)
	seconds := int64((budget + time.Second - 1) / time.Second)
	threshold := (seconds + int64(period) - 1) / int64(period)
	return Timing{PeriodSeconds: period, FailureThreshold: int32(min(max(threshold, 1), 1<<31-1))}
}
