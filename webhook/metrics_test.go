package webhook

import (
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/probity-dev/probity/validate"
)

func TestFindingsAreCountedByRuleModeAndAction(t *testing.T) {
	h := newHandler(t, Everywhere{Mode: validate.ModeAudit})
	const pod = `{"name":"app","livenessProbe":{"tcpSocket":{"port":80},"periodSeconds":20,"failureThreshold":1}}`
	for range 2 {
		send(t, h.Validate(), "application/json", []byte(podWith(pod)))
	}
	want := strings.NewReader(`# HELP probity_admission_findings_total Findings in the objects of reviews, by rule, mode of the namespace and action: deny counts what enforce refuses and other modes would, not what an update merely leaves as it was.
# TYPE probity_admission_findings_total counter
probity_admission_findings_total{action="deny",mode="audit",rule="liveness-failure-threshold"} 2
`)
	if err := testutil.CollectAndCompare(h.Metrics.findings, want); err != nil {
		t.Error(err)
	}
}
