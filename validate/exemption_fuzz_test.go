package validate

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/probity-dev/probity/workload"
)

// FuzzAnnotations: whatever an object's annotations say, they change no finding but for
// those of rules that they name, give a reason for, and have not let run out.
func FuzzAnnotations(f *testing.F) {
	f.Add("liveness-dependency-path", "known", "2027-01-31", "none", "10m")
	f.Add("liveness-dependency-path,probe-port-name, nonsense", " ", "2026-01-31", "all,", "-1s")
	f.Add("liveness-dependency-path; probe-port-name", "x\x1b[2J", "31.1.2027", "startup", "9999999h")
	const manifest = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"template":{"spec":{"containers":[` +
		`{"name":"a","livenessProbe":{"httpGet":{"path":"/health/db","port":"x"}}},{"name":"b","livenessProbe":{"tcpSocket":{"port":1},"timeoutSeconds":20}}]}}}}`
	obj, err := workload.DefaultKinds().Decode([]byte(manifest))
	if err != nil {
		f.Fatal(err)
	}
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	judge := Judge{Policy: MustPolicy(Baseline), Now: now}
	without := judge.Workload(obj.Workload).Findings
	f.Fuzz(func(t *testing.T, exempt, reason, until, inject, budget string) {
		w := *obj.Workload
		w.Annotations = workload.Annotations{
			workload.AnnotationExempt: exempt, workload.AnnotationExemptReason: reason, workload.AnnotationExemptUntil: until,
			workload.AnnotationInject: inject, workload.AnnotationStartupBudget: budget,
		}
		judged := judge.Workload(&w)
		if len(judged.Findings) != len(without) {
			t.Fatalf("%d findings, without annotations %d", len(judged.Findings), len(without))
		}
		var named []string
		for id := range strings.SplitSeq(exempt, ",") {
			named = append(named, strings.TrimSpace(id))
		}
		day, err := time.Parse(time.DateOnly, strings.TrimSpace(until))
		may := strings.TrimSpace(reason) != "" && err == nil && !now.After(day.AddDate(0, 0, 1))
		for i, got := range judged.Findings {
			if got.Exemption != nil && (!may || !slices.Contains(named, got.Rule)) {
				t.Errorf("%s is exempt by %q, %q, %q", got.Rule, exempt, reason, until)
			}
			if want := without[i]; got.Exemption == nil && (got.Rule != want.Rule || got.Action != want.Action) {
				t.Errorf("got %+v, without annotations %+v", got, want)
			}
		}
		for _, n := range judged.Notices {
			if n.Message == "" {
				t.Errorf("a notice without words: %+v", n)
			}
		}
	})
}
