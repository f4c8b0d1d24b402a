package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
	"github.com/probity-dev/probity/webhook"
)

// logged sends reviews to a handler that logs as serve does, and returns the lines
// without what differs from run to run.
func logged(t *testing.T, hook func(*webhook.Handler) http.Handler, reviews ...string) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	f := &following{current: config.Default(), mode: validate.ModeEnforce, log: (&serveOptions{logs: &out}).logger()}
	h := f.handler(webhook.Options{Namespaces: webhook.Everywhere(f.settings()), Metrics: webhook.NewMetrics(prometheus.NewRegistry())})
	for _, review := range reviews {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(review))
		request.Header.Set("Content-Type", "application/json")
		hook(h).ServeHTTP(httptest.NewRecorder(), request)
	}
	var lines []map[string]any
	for line := range strings.Lines(out.String()) {
		for _, c := range strings.TrimSuffix(line, "\n") {
			if c < ' ' || c == 0x7f {
				t.Errorf("a control character is in the log: %q", line)
			}
		}
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		delete(fields, "time")
		lines = append(lines, fields)
	}
	return lines
}

func reviewOf(name, user, container string) string {
	return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","kind":{"group":"","version":"v1","kind":"Pod"},"operation":"CREATE","namespace":"shop","userInfo":{"username":` + user +
		`},"object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":` + name + `},"spec":{"containers":[` + container + `]}}}}`
}

func TestADecisionIsOneLineOfTheLog(t *testing.T) {
	const (
		fine   = `{"name":"app"}`
		faulty = `{"name":"app","livenessProbe":{"tcpSocket":{"port":80},"periodSeconds":20,"failureThreshold":1}}`
		slow   = `{"name":"app","livenessProbe":{"tcpSocket":{"port":80},"timeoutSeconds":2}}`
	)
	got := logged(t, (*webhook.Handler).Validate,
		reviewOf(`"well"`, `"alice"`, fine), // a plain allow: no line
		reviewOf(`"orders"`, `"alice"`, faulty),
		// Neither a new line nor a terminal's colours come through.
		reviewOf(`"a\n{\"level\":\"INFO\"}\u001b[31m"`, `"eve\r\n\u0000"`, faulty),
		`{"kind":"Status\n"}`,
	)
	line := func(name, user string) map[string]any {
		return map[string]any{
			"level": "INFO", "msg": "reviewed", "logger": "webhook", "decision": "deny", "mode": "enforce", "operation": "CREATE", "kind": "Pod",
			"namespace": "shop", "name": name, "user": user, "dryRun": false, "rules": []any{"liveness-failure-threshold"}, "uid": "u-1",
		}
	}
	want := []map[string]any{
		line("orders", "alice"),
		line("a\n{\"level\":\"INFO\"}\x1b[31m", "eve\r\n\x00"),
		{"level": "INFO", "msg": "review not answered", "logger": "webhook", "webhook": "validate", "status": 400.0, "reason": `kind is "Status\n", must be AdmissionReview`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	got = logged(t, (*webhook.Handler).Mutate, reviewOf(`"orders"`, `"alice"`, slow))
	want = []map[string]any{{
		"level": "INFO", "msg": "injected", "logger": "webhook", "decision": "patch", "mode": "enforce", "operation": "CREATE", "kind": "Pod",
		"namespace": "shop", "name": "orders", "user": "alice", "dryRun": false, "startup": "app", "uid": "u-1",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNoReviewWaitsForTheLog, nor does the server for its end.
func TestNoReviewWaitsForTheLog(t *testing.T) {
	_, out := io.Pipe() // Nobody reads it.
	log, end := (&serveOptions{logs: out}).startLog()
	f := &following{current: config.Default(), mode: validate.ModeEnforce, log: log}
	h := f.handler(webhook.Options{Namespaces: webhook.Everywhere(f.settings()), Metrics: webhook.NewMetrics(prometheus.NewRegistry())}).Validate()
	for range 10 {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(reviewOf(`"web"`, `"bob"`, `{"name":"app","livenessProbe":{"httpGet":{"path":"/health/db","port":80}}}`)))
		request.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, request)
		if !strings.Contains(answer.Body.String(), `"allowed":false`) {
			t.Errorf("not refused: %s", answer.Body)
		}
	}
	end()
}

// TestOnlyTheLogSaysWhyAReplicaIsNotReady: everybody may ask.
func TestOnlyTheLogSaysWhyAReplicaIsNotReady(t *testing.T) {
	var out bytes.Buffer
	problem := errors.New("no serving certificate")
	h := healthHandler(func() error { return problem }, (&serveOptions{logs: &out}).logger())
	ask := func(path string) (code int, body string) {
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return answer.Code, answer.Body.String()
	}
	for range 2 {
		if code, body := ask("/readyz"); code != http.StatusServiceUnavailable || strings.Contains(body, "certificate") {
			t.Errorf("%d, %q", code, body)
		}
	}
	if code, body := ask("/livez"); code != http.StatusOK || body != "ok\n" {
		t.Errorf("%d, %q", code, body)
	}
	problem = nil
	if code, body := ask("/readyz"); code != http.StatusOK || body != "ok\n" {
		t.Errorf("%d, %q", code, body)
	}
	if log := out.String(); strings.Count(log, "no serving certificate") != 1 || strings.Count(log, `"msg":"ready"`) != 1 {
		t.Errorf("the log says\n%s", log)
	}
}
