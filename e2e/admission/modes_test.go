package admission

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

func TestEnforceRefusesWithTheWholeMessage(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "probity.dev/mode=enforce")
	_, stderr, err := s.Kubectl(deployment("orders", asksDatabase), "apply", "-f", "-")
	if err == nil {
		t.Fatal("the Deployment was created")
	}
	want := `Error from server (Forbidden): error when creating "STDIN": admission webhook "workloads.validate.probity.dev" denied the request: ` +
		databaseMessage + " [liveness-dependency-path]\n"
	if stderr != want {
		t.Errorf("got  %s\nwant %s", stderr, want)
	}
	if _, _, err := s.Kubectl("", "get", "deployment", "orders"); err == nil {
		t.Error("the Deployment exists")
	}
}

func TestWarnCreatesAndWarns(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "probity.dev/mode=warn")
	out, stderr := s.Must(deployment("orders", asksDatabase), "apply", "-f", "-")
	if out != "deployment.apps/orders created\n" {
		t.Errorf("got %q", out)
	}
	want := "Warning: [liveness-dependency-path] spec.template.spec.containers[0].livenessProbe.httpGet.path: " + databaseMessage + "\n"
	if stderr != want {
		t.Errorf("got  %s\nwant %s", stderr, want)
	}
}

func TestAuditTellsOnlyTheAuditLog(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "probity.dev/mode=audit")
	out, stderr := s.Must(deployment("orders", asksDatabase), "apply", "-f", "-")
	if out != "deployment.apps/orders created\n" || stderr != "" {
		t.Errorf("got %q and %q", out, stderr)
	}
	var event auditv1.Event
	s.Eventually("the audit event", func(context.Context) bool {
		events, err := local.AuditEvents()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.ObjectRef != nil && e.ObjectRef.Namespace == s.Name && e.ObjectRef.Resource == "deployments" && e.Verb == "create" {
				event = e
				return true
			}
		}
		return false
	})
	var findings []struct{ Rule, Action, Path string }
	if err := json.Unmarshal([]byte(event.Annotations[validating+"/findings"]), &findings); err != nil {
		t.Fatalf("annotations %v: %v", event.Annotations, err)
	}
	if len(findings) != 1 || findings[0].Rule != "liveness-dependency-path" || findings[0].Action != "deny" ||
		findings[0].Path != "spec.template.spec.containers[0].livenessProbe.httpGet.path" {
		t.Errorf("got %+v", findings)
	}
}

func TestANamespaceWithoutLabelIsNotCalled(t *testing.T) {
	s := newSpace(t)
	before := calls(t, validating) + calls(t, mutating)
	s.Must(deployment("orders", asksDatabase), "apply", "-f", "-")
	if now := calls(t, validating) + calls(t, mutating); now != before {
		t.Errorf("%v calls", now-before)
	}
}

func TestAWrongLabelIsRefused(t *testing.T) {
	t.Parallel()
	s := newSpace(t)
	_, stderr, err := s.KubectlAs(s.Administrator, "", "label", "namespace", s.Name, "probity.dev/mode=enforced")
	want := `namespace "` + s.Name + `": metadata.labels: label probity.dev/mode: mode "enforced" is not legal: must be enforce, warn, audit or off`
	if err == nil || !strings.Contains(stderr, want) {
		t.Errorf("got %v %s\nwant %s", err, stderr, want)
	}
	s.Label("probity.dev/mode=warn", "probity.dev/profile=strict", "probity.dev/inject=startup")
}

func TestStrictProfileRefusesMore(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "probity.dev/mode=enforce", "probity.dev/profile=strict")
	_, stderr, err := s.Kubectl(deployment("orders", `livenessProbe: {httpGet: {path: /livez, port: 8080}, timeoutSeconds: 2, failureThreshold: 2}`), "apply", "-f", "-")
	if err == nil || !strings.Contains(stderr, "livenessProbe.failureThreshold is 2, under 3") {
		t.Errorf("got %v %s", err, stderr)
	}
}
