package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const brokenToday = `apiVersion: apps/v1
kind: Deployment
metadata: {name: orders, namespace: shop}
spec:
  replicas: 2
  template:
    metadata: {labels: {app: orders}}
    spec:
      containers:
      - name: app
        ports: [{containerPort: 8080}]
        livenessProbe: {httpGet: {path: /health/db, port: 8080}, failureThreshold: 1}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: orders, namespace: shop}
spec:
  maxUnavailable: 0
  selector: {matchLabels: {app: orders}}
---
apiVersion: v1
kind: Pod
metadata: {generateName: lone-}
spec:
  containers:
  - name: app
    livenessProbe: {exec: {command: [pg_isready, -h, db]}}
`

// inFolder writes files and goes to their folder.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Clean(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWhatIsWrittenLetsEverythingThrough(t *testing.T) {
	inFolder(t, map[string]string{"app.yaml": brokenToday})
	if _, _, status := run(t, "probity", "check", "app.yaml"); status != exitDenied {
		t.Fatalf("status %d without exemptions", status)
	}
	stdout, stderr, status := run(t, "probity", "check", "--profile", "strict", "--write-exemptions", "probity.yaml", "app.yaml")
	if stdout != "" || status != exitClean || !strings.HasPrefix(stderr, "probity.yaml: exemptions written for ") {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	stdout, _, status = run(t, "probity", "check", "--profile", "strict", "--fail-on", "warn", "--config", "probity.yaml", "app.yaml")
	if status != exitClean {
		t.Errorf("status %d\n%s", status, stdout)
	}
	worse := strings.Replace(brokenToday, "failureThreshold: 1", "failureThreshold: 1, timeoutSeconds: 30", 1)
	if err := os.WriteFile("app.yaml", []byte(worse), 0o600); err != nil {
		t.Fatal(err)
	}
	if stdout, _, status = run(t, "probity", "check", "--config", "probity.yaml", "app.yaml"); status != exitDenied || !strings.HasPrefix(stdout[strings.LastIndex(stdout, "\n\n")+2:], "1 denied") {
		t.Errorf("a new fault: status %d\n%s", status, stdout)
	}
}

func TestExemptionsAreAddedToAFile(t *testing.T) {
	const config = "# ours\napiVersion: probity.dev/v1alpha1\nkind: Configuration\nrules:\n  liveness-failure-threshold: {action: off}\n"
	inFolder(t, map[string]string{"app.yaml": brokenToday, "probity.yaml": config, "other.yaml": config})
	for range 2 { // the second time there is nothing to add
		if _, stderr, status := run(t, "probity", "check", "--write-exemptions", "probity.yaml", "app.yaml"); status != exitClean {
			t.Fatalf("status %d\n%s", status, stderr)
		}
	}
	got := readFile(t, "probity.yaml")
	if !strings.HasPrefix(got, config+"exemptions:\n") || strings.Count(got, "- match:") != 3 || strings.Contains(got, "liveness-failure-threshold]") {
		t.Errorf("got\n%s", got)
	}
	_, stderr, status := run(t, "probity", "check", "--config", "other.yaml", "--write-exemptions", "probity.yaml", "app.yaml")
	if status != exitUnusable || !strings.Contains(stderr, "probity.yaml is there already and is not the file of --config") {
		t.Errorf("status %d\n%s", status, stderr)
	}
	if _, stderr, status := run(t, "probity", "check", "--config", "other.yaml", "--write-exemptions", "new.yaml", "app.yaml"); status != exitClean {
		t.Errorf("status %d\n%s", status, stderr)
	}
	if diff := cmp.Diff(got, readFile(t, "new.yaml")); diff != "" {
		t.Errorf("a copy of another configuration (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(config, readFile(t, "other.yaml")); diff != "" {
		t.Errorf("the other one changed:\n%s", diff)
	}
}
