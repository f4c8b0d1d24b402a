package budget

import (
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
)

func TestTheLogSaysWhyABudgetIsWithdrawn(t *testing.T) {
	tests := []struct {
		name   string
		change func(c *cluster)
		want   string
	}{
		{
			"the mode of the namespace changed",
			func(c *cluster) { c.settings = validate.Settings{Mode: validate.ModeWarn} },
			`"reason"="Probity makes no budgets here any more" "standing"="missing"`,
		},
		{
			"another covers the pods",
			func(c *cluster) { c.put(pdb("mine", "app: web")) },
			`"reason"="PodDisruptionBudget mine covers the pods" "standing"="covered"`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newCluster(t)
			var lines []string
			c.put(strings.Replace(deployment("web", "app: web", 3), ", probity.dev/inject: all", "", 1))
			c.settle()
			c.controller.o.Log = funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{})
			tt.change(c)
			c.settle()
			want := []string{`"level"=0 "msg"="budget withdrawn" "budget"="PodDisruptionBudget shop/probity-deployment-web" ` + tt.want}
			if diff := cmp.Diff(want, lines); diff != "" {
				t.Error(diff)
			}
		})
	}
}
