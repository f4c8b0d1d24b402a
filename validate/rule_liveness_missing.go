package validate

func init() {
	register(Rule{
		ID:       "liveness-missing",
		Title:    "Every container has a liveness probe",
		Category: Presence,
		Why: `Off in all profiles: no liveness probe is better than a wrong one. A process that ends when it cannot go on is
restarted without any probe, and most do. The probe is for those that can hang: deadlocks, an event loop that stands still. Turn the rule on
where every service is known to have an endpoint for it.`,
		Fix:   "Add a liveness probe that asks only whether the process itself can go on, with a startup probe before it.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/#liveness-probe",
		},
		Action: ByProfile{Off, Off},
		Check:  checkLivenessMissing,
	})
}

func checkLivenessMissing(p *Pass) {
	if p.Ends() {
		return
	}
	for c := range p.Containers() {
		if c.Liveness != nil {
			continue
		}
		p.ReportContainer(c, Report{
			Text:     "has no livenessProbe; when its process hangs, it hangs until somebody looks",
			Fix:      "Add one that asks only whether the process itself can go on, with a startupProbe before it.",
			Evidence: "no livenessProbe",
		})
	}
}
