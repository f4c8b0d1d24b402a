package report

import (
	"fmt"

	"github.com/probity-dev/probity/validate"
)

// maxUncovered is how many workloads without a budget the text names.
const maxUncovered = 10

// coverage tells which workloads no disruption budget is for, and how many have one.
func (r *textReport) coverage(all []validate.Coverage) {
	if len(all) == 0 {
		return
	}
	r.gap()
	var without []validate.Coverage
	for _, c := range all {
		if !c.Covered {
			without = append(without, c)
		}
	}
	r.printf("Disruption budgets select the pods of %d of %d %s with two or more.\n", len(all)-len(without), len(all), plural(len(all), "workload"))
	for i, c := range without {
		if i == maxUncovered && len(without) > maxUncovered+1 {
			r.printf("  and %d more without; -o json lists them all\n", len(without)-i)
			break
		}
		r.printf("  %s has %d pods and no budget\n", Safe(c.Object.String()), c.Pods)
	}
}

// summary ends the line that begins with what was found.
func (c *Cluster) summary(found string, t Totals) string {
	if c.Namespaces == 0 {
		return fmt.Sprintf("nothing judged: %d %s in mode off", c.Off, plural(c.Off, "namespace"))
	}
	line := fmt.Sprintf("%s (%d %s)", found, c.Namespaces, plural(c.Namespaces, "namespace")) + t.troubles("error")
	if c.Off > 0 {
		line += fmt.Sprintf("; %d %s in mode off not judged", c.Off, plural(c.Off, "namespace"))
	}
	return line
}
