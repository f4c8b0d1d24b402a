package validate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "budget-no-match",
		Title:    "A budget selects pods of its namespace",
		Category: Disruption,
		Why: `A budget that selects nothing protects nothing, and no one is told: a drain takes all pods of the workload at once. Most often
a label was renamed, or the budget is in another namespace.

This is judged in files and in a running cluster, never at admission, where the workload may be the next object to come. A budget alone, with
no workload beside it, is not judged.`,
		Fix: "Copy the selector of the workload, and put the budget into its namespace. Where an operator makes the pods from a custom resource, " +
			"no template can be seen: give the custom resource with the budget, or exempt the budget.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/tasks/run-application/configure-pdb/#specifying-a-poddisruptionbudget",
		},
		Action:      ByProfile{Warn, Warn},
		AnyOrder:    true,
		CheckBundle: checkBudgetNoMatch,
	})
}

func checkBudgetNoMatch(p *BundlePass) {
	if len(p.bundle.sets) == 0 {
		return
	}
	namespaces := slices.Sorted(maps.Keys(p.bundle.in))
	for _, b := range p.bundle.budgets {
		// An operator's budget is for pods that the operator makes.
		if len(b.sets) > 0 || b.Controller != nil || p.bundle.customs.makes(b.Ref.Namespace, b.Selector) {
			continue
		}
		r := Report{Field: "spec.selector", Evidence: "no pod template with " + selectorText(b.Selector)}
		switch {
		case b.Selector == nil:
			r.Field, r.Text, r.Evidence = "spec", "has no selector and selects no pod; the budget protects nothing", "no selector"
			r.Fix = "Set spec.selector to that of the workload."
		case b.whole():
			continue // there is nothing to get wrong, and no workload yet
		case b.Selector.Empty():
			r.Text, r.Evidence = "is empty, which selects no pod in policy/v1beta1; the budget protects nothing", "an empty selector"
			r.Fix = "Set it to that of the workload, and apiVersion to policy/v1."
		default:
			r.Text = fmt.Sprintf("asks for %s, which no workload of the namespace has on its pods; the budget protects nothing", selectorText(b.Selector))
			r.Fix = noMatchFix(p.bundle, b, namespaces)
		}
		p.reportBudget(b, nil, r)
	}
}

// noMatchFix names the workload that was probably meant; namespaces are those with
// workloads, in order.
func noMatchFix(in *bundle, b *budget, namespaces []string) string {
	for _, namespace := range namespaces {
		if sets := in.index(namespace).selected(b.Budget, b.Selector); len(sets) > 0 {
			return fmt.Sprintf("A budget selects in its own namespace: %s in namespace %s has such pods.", sets[0].name(), quote(namespace))
		}
	}
	if s, missing := in.index(b.Ref.Namespace).nearest(b.Selector); s != nil {
		return fmt.Sprintf("If %s is meant, copy its selector: its pods have all but %s.", s.name(), missing)
	}
	return "Copy the selector of the workload that is meant."
}

// nearest returns the set that satisfies the most requirements, more than half of
// them, and what it does not satisfy.
func (x *podIndex) nearest(selector *workload.Selector) (best *podSet, missing string) {
	fewest := (len(selector.MatchLabels) + len(selector.MatchExpressions) + 1) / 2
	for key, value := range selector.MatchLabels {
		with := x.byPair[labelPair{key, value}]
		for _, s := range with[:min(len(with), maxNearest)] {
			not := unsatisfied(selector, s)
			if len(not) < fewest || len(not) == fewest && best != nil && s.index < best.index {
				best, fewest, missing = s, len(not), strings.Join(not, ", ")
			}
		}
	}
	return best, missing
}

// maxNearest bounds how many workloads with a common label are compared.
const maxNearest = 50

func unsatisfied(selector *workload.Selector, s *podSet) []string {
	var not []string
	for key, value := range selector.MatchLabels {
		if !s.matches(&workload.Selector{MatchLabels: map[string]string{key: value}}) {
			not = append(not, key+"="+value)
		}
	}
	slices.Sort(not)
	for _, r := range selector.MatchExpressions {
		if !s.matches(&workload.Selector{MatchExpressions: []workload.Requirement{r}}) {
			not = append(not, requirementText(r))
		}
	}
	return not
}

// selectorText writes a selector as kubectl takes it: "app=web,tier in (a,b)".
func selectorText(selector *workload.Selector) string {
	if selector == nil {
		return ""
	}
	var parts []string
	for key, value := range selector.MatchLabels {
		parts = append(parts, key+"="+value)
	}
	slices.Sort(parts)
	for _, r := range selector.MatchExpressions {
		parts = append(parts, requirementText(r))
	}
	return strings.Join(parts, ",")
}

func requirementText(r workload.Requirement) string {
	switch r.Operator {
	case "Exists":
		return r.Key
	case "DoesNotExist":
		return "!" + r.Key
	default:
		return r.Key + " " + strings.ToLower(r.Operator) + " (" + strings.Join(r.Values, ",") + ")"
	}
}
