package controlplane

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

func TestSumMetric(t *testing.T) {
	const text = `
# TYPE calls_total counter
calls_total{name="validate",operation="CREATE",rejected="true"} 2
calls_total{name="validate",operation="CREATE",rejected="false"} 3
calls_total{name="validate",operation="UPDATE",rejected="false"} 5
calls_total{name="mutate",operation="CREATE",rejected="false"} 7
# TYPE duration_seconds histogram
duration_seconds_bucket{name="validate",le="0.1"} 10
duration_seconds_bucket{name="validate",le="+Inf"} 11
duration_seconds_sum{name="validate"} 0.5
duration_seconds_count{name="validate"} 11
`
	for name, test := range map[string]struct {
		metric string
		labels map[string]string
		want   float64
	}{
		"all series without labels":         {metric: "calls_total", want: 17},
		"the series with one label":         {metric: "calls_total", labels: map[string]string{"name": "validate"}, want: 10},
		"the series with two labels":        {metric: "calls_total", labels: map[string]string{"name": "validate", "rejected": "true"}, want: 2},
		"no series has the value":           {metric: "calls_total", labels: map[string]string{"name": "other"}},
		"no series has the label":           {metric: "calls_total", labels: map[string]string{"code": "200"}},
		"the metric has not been written":   {metric: "refusals_total"},
		"the observations of a histogram":   {metric: "duration_seconds", want: 11},
		"the observations that have a name": {metric: "duration_seconds", labels: map[string]string{"name": "validate"}, want: 11},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := sumMetric([]byte(text), test.metric, test.labels)
			if err != nil || got != test.want {
				t.Errorf("got %v, %v; want %v", got, err, test.want)
			}
		})
	}
}

func TestDecodeAuditLogLeavesALineThatIsBeingWritten(t *testing.T) {
	got, err := decodeAuditLog([]byte(`{"auditID":"a","verb":"create"}` + "\n" + `{"auditID":"b"}` + "\n" + `{"audit`))
	if err != nil {
		t.Fatal(err)
	}
	want := []auditv1.Event{{AuditID: "a", Verb: "create"}, {AuditID: "b"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
