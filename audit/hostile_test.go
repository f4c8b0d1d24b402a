package audit

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/probity-dev/probity/escape"
)

// attack acts on whoever prints it: a terminal's escape sequences, text that turns
// the direction, and what takes no room.
const attack = "\x1b[2J\u009b31m\u202e\u2066\r\n\u2028\U000e0041\x7f"

// hostile is a Deployment with the attack, and with secrets, wherever its author may
// write: names are the API server's to refuse.
func hostile(t *testing.T) object {
	t.Helper()
	containers := []any{
		object{"name": "a", "image": "i" + attack, "env": []any{object{"name": "DB_PASSWORD", "value": "s3cr3t"}}, "livenessProbe": object{
			"timeoutSeconds": 30, "exec": object{"command": []string{"sh", "-c", "PGPASSWORD=s3cr3t pg_isready -h db" + attack}},
		}},
		object{"name": "b", "livenessProbe": object{"httpGet": object{"path": "/health/db?x=" + attack + "&token=s3cr3t", "port": 80, "host": "h" + attack}}},
		object{"name": "c", "livenessProbe": object{"httpGet": object{"path": "http://app:s3cr3t@other/health?api_key=s3cr3t", "port": "p" + attack}}},
		object{"name": "d", "livenessProbe": object{"exec": object{"command": []string{"curl", "-H", "Authorization: Bearer s3cr3t", "http://app:s3cr3t@other/health"}}}},
	}
	text, err := json.Marshal(object{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": object{"namespace": "shop", "name": "orders", "annotations": object{
			"probity.dev/exempt": "a" + attack, "probity.dev/exempt-reason": "r" + attack, "probity.dev/exempt-until": "u" + attack,
			"probity.dev/startup-budget": "b" + attack, "example.org/token": "s3cr3t",
		}},
		"spec": object{
			"replicas": 2, "selector": object{"matchLabels": object{"app": "orders"}},
			"template": object{"metadata": object{"labels": object{"app": "orders"}}, "spec": object{"containers": containers}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestReportsActOnNobodyAndTellNoSecrets: neither reports, nor metrics, nor the log
// with all that it can tell.
func TestReportsActOnNobodyAndTellNoSecrets(t *testing.T) {
	c, config := newCluster(t)
	c.serves(reportAPIs[0].Resource)
	c.put(hostile(t))
	labels := &labelled{all: map[string]*metav1.PartialObjectMetadata{}}
	registry := prometheus.NewRegistry()
	var log strings.Builder
	s, err := NewScanner(Options{
		Config: config, Cache: labels, Ruling: ruling(), Interval: time.Hour, Namespace: "probity-system", Metrics: NewMetrics(registry),
		Log: funcr.NewJSON(func(line string) { log.WriteString(line + "\n") }, funcr.Options{Verbosity: 10}),
	})
	if err != nil {
		t.Fatal(err)
	}
	labels.label("shop", "enforce")
	s.scanAll(t.Context())
	outputs := map[string]string{"the log": log.String(), "the metrics": gathered(t, registry)}
	for _, report := range c.lists[openReports] {
		for i, r := range report["results"].([]any) {
			result := r.(object)
			for field, value := range result {
				outputs[fmt.Sprintf("%s of result %d, %s", field, i, result["rule"])] = fmt.Sprint(value)
			}
		}
	}
	if told := fmt.Sprint(outputs); strings.Count(told, "***") < 3 || !strings.Contains(told, `\x1b`) {
		t.Fatalf("not all is quoted that could do harm: %s", told)
	}
	for name, text := range outputs {
		if text == "" {
			t.Errorf("%s: nothing", name)
		}
		if strings.Contains(text, "s3cr3t") {
			t.Errorf("%s: tells a secret: %s", name, text)
		}
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); strings.ContainsFunc(line, escape.Hidden) {
				t.Errorf("%s: acts on a terminal: %q", name, line)
			}
		}
	}
}

// gathered are the metrics as a scrape shows them.
func gathered(t *testing.T, registry *prometheus.Registry) string {
	t.Helper()
	answer := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	return answer.Body.String()
}
