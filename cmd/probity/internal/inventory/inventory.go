// Package inventory lists probes: what each asserts, who consumes it, what its
// failure does, and how soon.
package inventory

import (
	"time"

	"github.com/probity-dev/probity/mutate"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Probe is one line of the inventory.
type Probe struct {
	Object    validate.ResultObject `json:"object"`
	Container string                `json:"container"`
	// Probe is "liveness", "readiness" or "startup".
	Probe string `json:"probe"`
	// Handler is the API's field: "httpGet", "tcpSocket", "exec" or "grpc".
	Handler string `json:"handler"`
	// Asserts is how far the verdict reaches: "process", "this instance",
	// "shared dependency" or "unknown".
	Asserts string `json:"asserts"`
	// Likely is set when Asserts is not proven by the manifest.
	Likely bool `json:"likely"`
	// Asks says what the probe asks, and Evidence what in the manifest shows it.
	Asks     string `json:"asks"`
	Evidence string `json:"evidence"`
	// Consumer acts on the verdict, and Action is what it does on failure.
	Consumer string `json:"consumer"`
	Action   string `json:"action"`
	// BestSeconds and WorstSeconds are the time from a fault to the action. A
	// startup probe's begin when the container starts.
	BestSeconds  int `json:"bestSeconds"`
	WorstSeconds int `json:"worstSeconds"`
	// StartupSeconds is how long the container may take to start before this
	// probe has it killed: a startup probe's budget, and the shortest time in which
	// liveness kills a start, which may be 0; nil for readiness, and for a liveness
	// probe that a startup probe holds off.
	StartupSeconds *int `json:"startupSeconds"`
	// InjectedSeconds is that of the startup probe which Probity injects before this
	// liveness probe; 0 where it injects none.
	InjectedSeconds int `json:"injectedSeconds,omitzero"`
	// Findings are the ids of the rules that the probe breaks.
	Findings []string `json:"findings"`
	// Exempted are those that it breaks and is exempted from.
	Exempted []string        `json:"exempted"`
	Source   workload.Source `json:"source"`
}

// Lister lists probes.
type Lister struct {
	Judge validate.Judge
	// StartupBudget is the shortest of the startup probes that are injected where
	// the policy and a workload's annotation say so.
	StartupBudget time.Duration
}

// Probes returns the probes of a workload in the order of its containers. Those
// with a field that is not legal are left out: they are input errors. line gives
// the place of a field path.
func (l *Lister) Probes(w *workload.Workload, line func(path string) workload.Source) []Probe {
	judged := l.Judge.Workload(w)
	findings := judged.Findings
	injected := map[string]time.Duration{}
	settings, _ := validate.Settings{Injection: l.Judge.Policy.Injection()}.ForWorkload(w) // what is not legal says nothing
	if settings.Injection.Startup && judged.Exempt.By == "" {
		injected = mutate.StartupBudgets(w, findings, l.StartupBudget)
	}
	var all []Probe
	for i := range w.Pod.Containers {
		c := &w.Pod.Containers[i]
		for _, t := range workload.ProbeTypes {
			probe := c.Probe(t)
			if probe == nil || probe.Invalid {
				continue
			}
			p := describe(w, l.Judge.Policy.Knowledge(), validate.Probe{Probe: probe, Type: t, Container: c})
			for _, f := range findings {
				switch {
				case f.Container != c.Name || f.Probe != t.String():
				case f.Exempted:
					p.Exempted = append(p.Exempted, f.Rule)
				default:
					p.Findings = append(p.Findings, f.Rule)
				}
			}
			if t == workload.Liveness {
				p.InjectedSeconds = seconds(injected[c.Name])
			}
			p.Source = line(w.Pod.ContainerPath(c) + "." + t.Field())
			all = append(all, p)
		}
	}
	return all
}

func describe(w *workload.Workload, k validate.Knowledge, probe validate.Probe) Probe {
	answer := k.Analyze(w, probe).Answer
	p := Probe{
		Object: validate.ResultObject(w.Ref), Container: probe.Container.Name, Probe: probe.Type.String(), Handler: probe.Handler(),
		Asserts: answer.Scope.String(), Likely: answer.Likely, Asks: answer.Asks, Evidence: answer.Evidence,
		BestSeconds: seconds(probe.BestWindow()), WorstSeconds: seconds(probe.WorstWindow()),
		Findings: []string{}, Exempted: []string{},
	}
	switch probe.Type {
	case workload.Liveness:
		p.Consumer, p.Action = "kubelet", "restarts the container"
		if probe.Container.Startup == nil {
			p.StartupSeconds = new(seconds(probe.StartKill()))
		}
	case workload.Readiness:
		p.Consumer, p.Action = "Services, rollouts, budgets", "takes the pod out of rotation"
	default:
		p.Consumer, p.Action = "kubelet", "restarts the container, holds the other probes off"
		p.BestSeconds += seconds(probe.InitialDelay())
		p.WorstSeconds += seconds(probe.InitialDelay())
		p.StartupSeconds = new(seconds(probe.StartupBudget()))
	}
	return p
}

func seconds(d time.Duration) int { return int(d / time.Second) }
