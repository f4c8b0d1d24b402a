package validate

import (
	"fmt"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "budget-blocks-drain",
		Title:    "A disruption budget lets at least one pod go",
		Category: Disruption,
		Why: `A budget that allows no eviction does not keep the pods: it keeps the node. ` + "`kubectl drain`" + `, the cluster autoscaler and
the upgrade of a node pool wait for the eviction, until somebody deletes the pod by hand or the upgrade gives up and takes the node away
without asking. All pods may be healthy and it still blocks: what counts is the least number of pods that the workload runs, an
autoscaler's minimum where there is one, else ` + "`spec.replicas`" + `.

Percentages round up, both ways: ` + "`minAvailable: 50%`" + ` of one pod is one pod, and ` + "`maxUnavailable: 10%`" + ` of three is one.
A budget with neither field allows nothing. ` + "`unhealthyPodEvictionPolicy`" + ` changes nothing here: it lets unhealthy pods go.`,
		Fix: "Ask with `maxUnavailable`, which stays legal at any number of pods; `maxUnavailable: 1` or `10%` is right for most. " + `One replica
cannot be kept through a drain: run two, or let it go. For a budget that an operator works with on purpose, an exemption on the
budget says so.`,
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/#think-about-how-your-application-reacts-to-disruptions",
			"https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/controller/disruption/disruption.go",
			"https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/registry/core/pod/storage/eviction.go",
		},
		Action:      ByProfile{Warn, Deny},
		Likely:      ByProfile{Warn, Warn},
		CheckBundle: checkBudgetBlocksDrain,
	})
}

func checkBudgetBlocksDrain(p *BundlePass) {
	for _, b := range p.bundle.budgets {
		f := b.floor()
		if !f.runs || !blocks(b, f) {
			continue
		}
		v, field := b.value()
		r := Report{
			Field: "spec." + field, Text: drainText(b, f), Fix: drainFix(b, f), Likely: b.operated(),
			// Without counts: the fault stays the same when the workload is scaled.
			Evidence: b.asked() + " over " + podSetNames(b.sets),
		}
		if v == nil {
			r.Field = "spec"
		}
		p.reportBudget(b, b.sets, r)
	}
}

// blocks reports whether the budget lets no pod go at the floor. What the
// controller cannot count is budget-unsupported's, unless no count would help.
func blocks(b *budget, f floor) bool {
	uncounted := b.relative() && (len(b.of(unscaled)) > 0 || len(b.of(scaled))+len(b.of(unknown)) == 0)
	switch {
	case b.never():
		return uncounted || !f.known || evictable(b.Budget, f) == 0
	case uncounted || !f.known || f.pods == 0:
		return false
	default:
		return evictable(b.Budget, f) == 0
	}
}

func drainText(b *budget, f floor) string {
	const result = "; no eviction is allowed, and a drain waits forever"
	v, _ := b.value()
	switch {
	case v == nil:
		return "has neither minAvailable nor maxUnavailable, for which the controller allows no eviction; a drain waits forever for the pods of " +
			podSetNames(b.sets)
	case b.never():
		return fmt.Sprintf("is %s: no pod of %s may go, however many there are, and a drain waits forever", v, podSetNames(b.sets))
	case v.Percent:
		return fmt.Sprintf("is %s, which rounds up to %d of %d, and %s%s", v, v.Of(f.expected), f.expected, b.runs(f), result)
	default:
		return fmt.Sprintf("is %s, and %s%s", v, b.runs(f), result)
	}
}

// drainFix names values that let a pod go.
func drainFix(b *budget, f floor) string {
	v, _ := b.value()
	switch {
	case b.Controller != nil:
		return "Exempt the budget if the operator that made it moves the pods before a drain."
	case len(b.of(scaled)) < len(b.sets) && f.pods > 1 && f.known:
		return fmt.Sprintf("Set minAvailable %d, or less.", f.pods-1)
	case len(b.of(scaled)) < len(b.sets):
		return "Set minAvailable to a whole number below the number of pods, or remove the budget."
	case v == nil || b.MaxUnavailable != nil:
		return "Set maxUnavailable 1."
	case b.never():
		return "Set maxUnavailable 1 in place of minAvailable."
	case v.Percent:
		share := workload.IntOrPercent{Value: 100 - v.Value, Percent: true}
		return fmt.Sprintf("Set maxUnavailable %d%%, which rounds up to %d of %d, in place of minAvailable.", share.Value, share.Of(f.expected), f.expected)
	case f.pods == 1:
		return "Set maxUnavailable 1 in place of minAvailable: one pod cannot be kept through a drain. To keep the service up, " + more(b) + "."
	default:
		return fmt.Sprintf("Set maxUnavailable 1 in place of minAvailable, or minAvailable %d, or %s.", f.pods-1, more(b))
	}
}

// more says how to have so many pods that one may go.
func more(b *budget) string {
	enough := int64(b.MinAvailable.Value) + 1
	if len(b.sets) == 1 && b.sets[0].floorBy != "" {
		return fmt.Sprintf("raise the minimum of %s to %d", b.sets[0].floorBy, enough)
	}
	return fmt.Sprintf("run %d pods or more", enough)
}
