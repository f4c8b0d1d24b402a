package validate

func init() {
	register(Rule{
		ID:       "probe-cannot-run",
		Title:    "A probe's command can do what it says",
		Category: Wiring,
		Why: `An exec command is a program and its arguments; no shell takes it apart. A whole command line in one item is looked up as the name of a
program, which does not exist. And ` + "`sh -c`" + ` takes one item as its script: what follows becomes $0, $1 and so on, so that
` + "`[sh, -c, redis-cli, ping]`" + ` runs redis-cli without ping. Without a shell nothing reads ` + "`$NAME`, `|`, `||` or `>`" + ` either: they are
arguments of the program. Such a probe always fails, or always passes and watches nothing.`,
		Fix:   "Give each argument an item of its own, or the whole line as the one item after `sh -c`.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#Probe",
			"https://pubs.opengroup.org/onlinepubs/9799919799/utilities/sh.html",
		},
		Action: ByProfile{Warn, Deny},
		Check:  checkProbeCannotRun,
	})
}

func checkProbeCannotRun(p *Pass) {
	for probe := range p.Probes() {
		for _, fault := range p.Command(probe).Faults {
			p.Report(probe, Report{
				Field:    ".exec.command",
				Text:     "cannot do what it says: " + fault,
				Fix:      "Give each argument an item of its own, or the whole line as the one item after sh -c.",
				Evidence: fault,
			})
		}
	}
}
