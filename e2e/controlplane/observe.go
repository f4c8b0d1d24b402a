package controlplane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// AuditEvents returns what the API server has written to its audit log: the
// changes of workloads, budgets and namespaces, oldest first, with the webhooks'
// annotations. An event may come a moment after the response that it tells of,
// so poll for the one that you expect.
func (c *ControlPlane) AuditEvents() ([]auditv1.Event, error) {
	text, err := os.ReadFile(filepath.Join(c.folder.path, auditLogFile))
	if err != nil {
		return nil, err
	}
	return decodeAuditLog(text)
}

func decodeAuditLog(text []byte) ([]auditv1.Event, error) {
	var events []auditv1.Event
	for len(text) > 0 {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			break // It is being written.
		}
		text = rest
		var event auditv1.Event
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("audit log, event %d: %w", len(events)+1, err)
		}
		events = append(events, event)
	}
	return events, nil
}

// Metric returns a value of the API server's /metrics: the sum over the series
// of that name which have these labels, among others. Of a histogram it is the
// count of observations. A series that has not been written yet counts as zero,
// for example apiserver_admission_webhook_request_total before the first call.
func (c *ControlPlane) Metric(ctx context.Context, name string, labels map[string]string) (float64, error) {
	text, err := c.client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the API server's metrics: %w", err)
	}
	return sumMetric(text, name, labels)
}

func sumMetric(text []byte, name string, labels map[string]string) (float64, error) {
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return 0, fmt.Errorf("parse the API server's metrics: %w", err)
	}
	var sum float64
	for _, series := range families[name].GetMetric() {
		if hasLabels(series, labels) {
			sum += value(series)
		}
	}
	return sum, nil
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
