package validate

import (
	"fmt"

	"github.com/probity-dev/probity/workload"
)

func init() {
	register(Rule{
		ID:       "rollout-floor",
		Title:    "A rolling update leaves most replicas in place",
		Category: Disruption,
		Why: `A rolling update may take ` + "`maxUnavailable`" + ` replicas away at once, whatever a disruption budget says: budgets hold
for evictions only. With most of them gone the rest carries all the load, and when the new version does not come up they are all that is left.`,
		Fix:   "Lower `maxUnavailable`; 25% is a Deployment's default. A Deployment that may use more room for a while can have `maxUnavailable: 0` with a `maxSurge`.",
		Since: "0.1.0",
		Sources: []string{
			"https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#rolling-update-deployment",
			"https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/",
		},
		Params: []Param{
			{Name: "maxPercent", Doc: "How many of the replicas a rolling update may take at once, in percent.", Baseline: 50, Strict: 50},
		},
		Action: ByProfile{Off, Warn},
		Check:  checkRolloutFloor,
	})
}

func checkRolloutFloor(p *Pass) {
	w := p.Workload
	limit, field := w.Rollout.MaxUnavailable, rolloutField(w.Ref.Kind)
	if field == "" || limit == nil || w.Rollout.Type != "" && w.Rollout.Type != "RollingUpdate" {
		return
	}
	most := p.Int("maxPercent")
	text, fix := "", fmt.Sprintf("Set maxUnavailable %d%%.", min(25, most))
	switch {
	case w.Replicas == nil:
		if !limit.Percent || int(limit.Value) <= most {
			return // a number out of an unknown count
		}
		text = fmt.Sprintf("lets a rollout take %s of the pods at once", limit)
	case *w.Replicas < 2:
		return // one replica leaves nothing in any case
	default:
		takes, all := rolloutTakes(w), int(*w.Replicas)
		if takes*100 <= all*most {
			return
		}
		text = fmt.Sprintf("lets a rollout take %d of %d replicas at once", takes, all)
		fix = fmt.Sprintf("Set maxUnavailable %d.", max(all*min(25, most)/100, 1))
		if all*most < 100 {
			fix = "Set maxUnavailable 0 and maxSurge 1."
		}
	}
	p.ReportWorkload(Report{
		Field:    field,
		Text:     fmt.Sprintf("%s, over %d%%; the rest carries all the load", text, most),
		Fix:      fix,
		Evidence: "maxUnavailable " + limit.String(),
	})
}

// rolloutField is where a kind has its maxUnavailable, "" where it has none.
func rolloutField(kind string) string {
	switch kind {
	case "Deployment":
		return "spec.strategy.rollingUpdate.maxUnavailable"
	case "StatefulSet", "DaemonSet":
		return "spec.updateStrategy.rollingUpdate.maxUnavailable"
	default:
		return ""
	}
}

// rolloutTakes rounds a Deployment's percentage down, as its controller does
// (pkg/controller/deployment/util, ResolveFenceposts); the others round up.
func rolloutTakes(w *workload.Workload) int {
	limit, all := *w.Rollout.MaxUnavailable, *w.Replicas
	if limit.Percent && w.Ref.Kind == "Deployment" {
		return int(min(int64(limit.Value)*int64(all)/100, int64(all)))
	}
	return int(min(limit.Of(all), all))
}
