package metrics

import (
	"strings"
	"testing"
)

func TestSum(t *testing.T) {
	const text = `
# TYPE calls_total counter
calls_total{name="validate",operation="CREATE",rejected="true"} 2
calls_total{name="validate",operation="CREATE",rejected="false"} 3
calls_total{name="validate",operation="UPDATE",rejected="false"} 5
calls_total{name="mutate",operation="CREATE",rejected="false"} 7
# TYPE idle gauge
idle 0
# TYPE duration_seconds histogram
duration_seconds_bucket{name="validate",le="0.1"} 10
duration_seconds_bucket{name="validate",le="+Inf"} 11
duration_seconds_sum{name="validate"} 0.5
duration_seconds_count{name="validate"} 11
`
	families, err := Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		metric string
		labels map[string]string
		want   float64
		hidden bool
	}{
		"all series without labels":         {metric: "calls_total", want: 17},
		"the series with one label":         {metric: "calls_total", labels: map[string]string{"name": "validate"}, want: 10},
		"the series with two labels":        {metric: "calls_total", labels: map[string]string{"name": "validate", "rejected": "true"}, want: 2},
		"no series has the value":           {metric: "calls_total", labels: map[string]string{"name": "other"}, hidden: true},
		"no series has the label":           {metric: "calls_total", labels: map[string]string{"code": "200"}, hidden: true},
		"the metric has not been written":   {metric: "refusals_total", hidden: true},
		"a series that is zero":             {metric: "idle"},
		"the observations of a histogram":   {metric: "duration_seconds", want: 11},
		"the observations that have a name": {metric: "duration_seconds", labels: map[string]string{"name": "validate"}, want: 11},
	} {
		t.Run(name, func(t *testing.T) {
			got, shown := families.Sum(test.metric, test.labels)
			if got != test.want || shown == test.hidden {
				t.Errorf("got %v, shown %t; want %v, %t", got, shown, test.want, !test.hidden)
			}
		})
	}
}

func TestParseTellsWhatIsNoMetric(t *testing.T) {
	if _, err := Parse(strings.NewReader("<html>\n")); err == nil {
		t.Error("no error")
	}
}
