// Package metrics reads what a program shows at /metrics.
package metrics

import (
	"fmt"
	"io"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Families are metrics by their names.
type Families map[string]*dto.MetricFamily

// Parse reads the text format.
func Parse(text io.Reader) (Families, error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(text)
	if err != nil {
		return nil, fmt.Errorf("parse metrics: %w", err)
	}
	return families, nil
}

// Sum adds up the series of that name which have these labels, among others. Of a
// histogram it is the count of observations. A program shows many a series only once
// it has something to count: shown says whether there is any.
func (f Families) Sum(name string, labels map[string]string) (sum float64, shown bool) {
	for _, series := range f[name].GetMetric() {
		if hasLabels(series, labels) {
			sum, shown = sum+value(series), true
		}
	}
	return sum, shown
}

func hasLabels(series *dto.Metric, want map[string]string) bool {
	found := 0
	for _, label := range series.GetLabel() {
		value, wanted := want[label.GetName()]
		if !wanted {
			continue
		}
		if value != label.GetValue() {
			return false
		}
		found++
	}
	return found == len(want)
}

// value relies on the getters of kinds that a series is not, which return zero.
func value(series *dto.Metric) float64 {
	return series.GetCounter().GetValue() +
		series.GetGauge().GetValue() +
		series.GetUntyped().GetValue() +
		float64(series.GetHistogram().GetSampleCount()) +
		float64(series.GetSummary().GetSampleCount())
}
