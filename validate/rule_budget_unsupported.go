package validate

import (
	"fmt"
	"slices"
)

func init() {
	register(Rule{
		ID:       "budget-unsupported",
		Title:    "A budget that counts selects what can be counted",
		Category: Disruption,
		Why: "For `maxUnavailable` and for percentages the disruption controller must know how many pods there should be. It asks the " + `
pods' controller for its scale: a Deployment, StatefulSet, ReplicaSet, ReplicationController, or a custom resource with a scale
subresource. A DaemonSet, a Job and a CronJob have none. One of their pods under the budget, finished ones too, and the controller gives
up: the budget allows no eviction at all, of the other pods neither. Pods without a controller are left out of the count.

A drain leaves DaemonSet pods alone, and a Job starts its pod again elsewhere: most need no budget.`,
		Fix: "Use `minAvailable` with a whole number, which is compared with the pods that are there, or select other pods only. To leave out a " +
			"Job whose pods bear the labels of the application, add `matchExpressions` with key `batch.kubernetes.io/job-name` and operator `DoesNotExist`.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/#arbitrary-controllers-and-selectors",
			"https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/controller/disruption/disruption.go",
		},
		Action:      ByProfile{Warn, Deny},
		Likely:      ByProfile{Warn, Warn},
		CheckBundle: checkBudgetUnsupported,
	})
}

func checkBudgetUnsupported(p *BundlePass) {
	for _, b := range p.bundle.budgets {
		if !b.relative() {
			continue
		}
		v, field := b.value()
		r := Report{Field: "spec." + field, Likely: b.operated()}
		uncounted := b.of(unscaled)
		if len(uncounted) > 0 {
			r.Text = fmt.Sprintf("is %s, and the budget selects %s, %s no scale subresource; the controller cannot tell how many pods there should be and allows no eviction at all",
				v, podSetNames(uncounted), have(uncounted))
			r.Likely = r.Likely || !slices.ContainsFunc(uncounted, stays)
			r.Fix = uncountedFix(b, uncounted)
		} else {
			if uncounted = slices.DeleteFunc(b.of(unmanaged), func(s *podSet) bool { return s.atTimes }); len(uncounted) == 0 {
				continue
			}
			effect := "the count leaves them out"
			if len(uncounted) == len(b.sets) {
				effect = "there is nothing to count, and no eviction is allowed"
			}
			r.Text = fmt.Sprintf("is %s, and the budget selects %s without a controller that could tell how many there should be; %s",
				v, podSetNames(uncounted), effect)
			r.Fix = bareFix(b)
		}
		r.Evidence = b.asked() + " over " + podSetNames(uncounted)
		p.reportBudget(b, uncounted, r)
	}
}

func have(sets []*podSet) string {
	if len(sets) > 1 {
		return "which have"
	}
	return "which has"
}

// stays reports whether the pods are there between runs too: Helm takes most of
// its hooks' Jobs away.
func stays(s *podSet) bool { return !hook(s.variants[0]) }

func uncountedFix(b *budget, uncounted []*podSet) string {
	jobs := !slices.ContainsFunc(uncounted, func(s *podSet) bool { return s.ref.Kind == "DaemonSet" })
	switch {
	case len(uncounted) == len(b.sets) && jobs:
		return "Remove the budget, or set minAvailable to a whole number."
	case len(uncounted) == len(b.sets):
		return "Set minAvailable to a whole number, or remove the budget: a drain leaves DaemonSet pods alone."
	case jobs:
		return "Add to spec.selector.matchExpressions: key batch.kubernetes.io/job-name, operator DoesNotExist."
	default:
		return "Select by a label that the pods of " + podSetNames(uncounted) + " do not have."
	}
}

func bareFix(b *budget) string {
	f := b.floor()
	if f.known && f.pods > 1 {
		return fmt.Sprintf("Set minAvailable %d, or run the pods by a Deployment.", f.pods-1)
	}
	return "Set minAvailable to a whole number, or run the pods by a Deployment."
}
