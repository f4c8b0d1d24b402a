package audit

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/probity-dev/probity/e2e/install"
)

// patience bounds every wait; nothing takes nearly as long.
const patience = 2 * time.Minute

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited %s for %s", patience, what)
		case <-tick.C:
		}
	}
}

// kubectl runs as an administrator, and may not fail.
func kubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, stderr, err := cluster.Kubectl(t.Context(), adminFile, stdin, args...)
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr)
	}
	return out
}

// newNamespace makes a namespace in that mode, where Probity adds nothing.
func newNamespace(t *testing.T, name, mode string) {
	t.Helper()
	kubectl(t, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"`+name+`","labels":{"probity.dev/inject":"none","probity.dev/mode":"`+mode+`"}}}`, "create", "-f", "-")
	t.Cleanup(func() {
		_, _, _ = cluster.Kubectl(context.Background(), adminFile, "", "delete", "namespace", name, "--wait=false")
	})
}

// report is what the tests read of a report.
type report struct {
	Metadata struct {
		Name            string
		ResourceVersion string
		OwnerReferences []struct{ Kind, Name, UID string }
	}
	Source  string
	Scope   struct{ Kind, Name string }
	Summary map[string]int
	Results []result
}

type result struct {
	Policy, Rule, Category, Severity, Result, Source, Message string
	Properties                                                map[string]string
}

// reports returns those of a namespace, in order of their names.
func reports(t *testing.T, resource, namespace string) []report {
	t.Helper()
	var list struct{ Items []report }
	if err := json.Unmarshal([]byte(kubectl(t, "", "get", resource, "-n", namespace, "-o", "json")), &list); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

// metric sums the series of a metric that a replica shows; ok is false where there
// is none.
func metric(t *testing.T, p *install.Probity, name string) (sum float64, ok bool) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.MetricsURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, false // it does not run
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		series, value, _ := strings.Cut(lines.Text(), " ")
		if before, _, _ := strings.Cut(series, "{"); before != name {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			t.Fatal(err)
		}
		sum, ok = sum+n, true
	}
	return sum, ok
}

// scans waits until a replica has ended that many scans that began after the call.
func scans(t *testing.T, p *install.Probity, n int) {
	t.Helper()
	last, _ := metric(t, p, lastRun)
	for range n + 1 { // the first may have begun before
		eventually(t, "a scan", func() bool {
			now, ok := metric(t, p, lastRun)
			if ok && now > last {
				last = now
				return true
			}
			return false
		})
	}
}

const lastRun = "probity_audit_last_run_timestamp_seconds"

// deployment is a Deployment with one container, whose fields below its name are
// given in YAML flow style.
func deployment(name, container string) string {
	return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ` + name + `
spec:
  replicas: 2
  selector: {matchLabels: {app: ` + name + `}}
  template:
    metadata: {labels: {app: ` + name + `}}
    spec:
      containers:
      - {name: app, image: "registry.example/app:1", ` + container + `}
`
}

const (
	asksDatabase = `livenessProbe: {httpGet: {path: /health/db, port: 8080}, timeoutSeconds: 2}`
	hangs        = `livenessProbe: {httpGet: {path: /health/db, port: 8080}, timeoutSeconds: 20}`
	asksItself   = `livenessProbe: {httpGet: {path: /livez, port: 8080}, timeoutSeconds: 2}`
)
