package validate

import "fmt"

// budgetMissing is the only rule about bundles that reports workloads.
const budgetMissing = "budget-missing"

func init() {
	register(Rule{
		ID:       budgetMissing,
		Title:    "Two replicas or more have a disruption budget",
		Category: Disruption,
		Why: `Two replicas are there so that one can go. Without a budget nothing holds a drain back from taking both at once: nodes of a pool
are upgraded several at a time, and the cluster autoscaler empties nodes on its own. A workload that scales itself counts with its
autoscaler's minimum.

Where Probity makes budgets it makes this one too, and the rule says nothing. It is judged in files and in a running cluster, not at
admission, where the budget may be the next object to come.`,
		Fix: "Add a PodDisruptionBudget with the workload's selector and `maxUnavailable: 10%`, which rounds up to one of up to ten, or label the " +
			"namespace `probity.dev/inject: all` and Probity makes it. `unhealthyPodEvictionPolicy: AlwaysAllow` lets a drain take pods that do not work.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-budgets",
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/",
		},
		Action:      ByProfile{Off, Warn},
		AnyOrder:    true,
		CheckBundle: checkBudgetMissing,
	})
}

func checkBudgetMissing(p *BundlePass) {
	for _, s := range p.bundle.sets {
		// A set without labels is a patch: nothing could select it.
		if s.counting != scaled || s.covered || s.pods < 2 || len(s.variants[0].Pod.Labels) == 0 || p.injectsBudget(s.variants[0]) {
			continue
		}
		floor := fmt.Sprintf("is %d", s.pods)
		if s.floorBy != "" {
			floor = fmt.Sprintf("is at least %d (the minimum of %s)", s.pods, s.floorBy)
		}
		p.reportPods(s, Report{
			Field:    "spec.replicas",
			Text:     floor + " and no budget selects the pods; a drain of several nodes may take all of them at once",
			Fix:      "Add a PodDisruptionBudget with the workload's selector and maxUnavailable 10%.",
			Evidence: "no budget",
		})
	}
}
