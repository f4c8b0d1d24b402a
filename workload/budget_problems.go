package workload

import (
	"fmt"
	"strconv"
)

// findProblems notes what the API server would refuse in a budget. Source:
// pkg/apis/policy/validation of Kubernetes v1.37.
func (b *Budget) findProblems() {
	if b.MinAvailable != nil && b.MaxUnavailable != nil {
		b.problem("spec", "has both minAvailable and maxUnavailable; it must have only one of them")
	}
	for _, f := range [...]struct {
		path  string
		value *IntOrPercent
	}{{"spec.minAvailable", b.MinAvailable}, {"spec.maxUnavailable", b.MaxUnavailable}} {
		switch {
		case f.value == nil:
		case f.value.Value < 0:
			b.problem(f.path, "is %s; it must not be negative", clip(f.value.String()))
		case f.value.Percent && f.value.Value > 100:
			b.problem(f.path, "is %s; it must be at most 100%%", clip(f.value.String()))
		}
	}
	if b.Selector != nil {
		for i := range b.Selector.MatchExpressions {
			if field, message := b.Selector.MatchExpressions[i].problem(); message != "" {
				b.problem("spec.selector.matchExpressions["+strconv.Itoa(i)+"]"+field, "%s", message)
			}
		}
	}
	switch p := b.UnhealthyPodEvictionPolicy; p {
	case "", "IfHealthyBudget", "AlwaysAllow":
	default:
		b.problem("spec.unhealthyPodEvictionPolicy", "is %q; it must be IfHealthyBudget or AlwaysAllow", clip(p))
	}
}

func (b *Budget) problem(path, format string, args ...any) {
	b.Problems = append(b.Problems, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (r *Requirement) problem() (field, message string) {
	switch r.Operator {
	case "In", "NotIn":
		if len(r.Values) == 0 {
			return ".values", "is empty; operator " + r.Operator + " must have at least one value"
		}
	case "Exists", "DoesNotExist":
		if len(r.Values) > 0 {
			return ".values", "is set; operator " + r.Operator + " must not have values"
		}
	default:
		return ".operator", fmt.Sprintf("is %q; it must be In, NotIn, Exists or DoesNotExist", clip(r.Operator))
	}
	if r.Key == "" {
		return ".key", "is empty; it must be the name of a label"
	}
	return "", ""
}
