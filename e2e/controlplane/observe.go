package controlplane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/probity-dev/probity/e2e/metrics"
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

// Metric returns a value of the API server's /metrics, as [metrics.Families.Sum]
// does. A series that has not been written yet counts as zero, for example
// apiserver_admission_webhook_request_total before the first call.
func (c *ControlPlane) Metric(ctx context.Context, name string, labels map[string]string) (float64, error) {
	text, err := c.client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, fmt.Errorf("read the API server's metrics: %w", err)
	}
	families, err := metrics.Parse(bytes.NewReader(text))
	if err != nil {
		return 0, fmt.Errorf("the API server: %w", err)
	}
	sum, _ := families.Sum(name, labels)
	return sum, nil
}
