package enforcement

import (
	"strings"
	"testing"
)

func TestTheConfigurationExempts(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "e2e")
	s.enforce()
	t.Run("a workload of its list", func(*testing.T) {
		if warnings := s.warned(deployment("listed", "", asksDatabase), apply...); warnings != "" {
			t.Errorf("it warns: %s", warnings)
		}
	})
	t.Run("no other rule of that workload", func(*testing.T) {
		s.refused(deployment("listed", "", strings.Replace(asksDatabase, "timeoutSeconds: 2", "timeoutSeconds: 30", 1)), apply, "[probe-timeout-period]")
	})
	t.Run("nothing after the last day, and says so", func(*testing.T) {
		s.refused(deployment("outdated", "", asksDatabase), apply, rule,
			"Not exempted: the configuration's exemption on line 14 from liveness-dependency-path ended after 2020-01-31 (UTC)")
	})
	t.Run("a user", func(*testing.T) {
		_, warnings, err := s.KubectlAs(s.As("emergency"), deployment("by-a-user", "", asksDatabase), apply...)
		if err != nil || warnings != "" {
			t.Errorf("%v %s", err, warnings)
		}
	})
	t.Run("a member of a group", func(*testing.T) {
		_, warnings, err := s.KubectlAs(s.As("someone", "firefighters"), deployment("by-a-group", "", asksDatabase), apply...)
		if err != nil || warnings != "" {
			t.Errorf("%v %s", err, warnings)
		}
	})
	t.Run("a runtime class", func(*testing.T) {
		sandboxed := strings.Replace(deployment("sandboxed", "", asksDatabase), "    spec:\n", "    spec:\n      runtimeClassName: sandboxed\n", 1)
		if warnings := s.warned(sandboxed, apply...); warnings != "" {
			t.Errorf("it warns: %s", warnings)
		}
	})
	t.Run("a namespace, whatever its labels say", func(t *testing.T) {
		s := newSpace(t, "exempt")
		s.Label("probity.dev/mode=enforce")
		if warnings := s.warned(deployment("orders", "", asksDatabase), apply...); warnings != "" {
			t.Errorf("it warns: %s", warnings)
		}
		s.Must(deployment("sound", "", asksItself), apply...)
		out, _, err := s.Kubectl("", "get", "deployment", "sound", "-o", "jsonpath={.spec.template.spec.containers[0].startupProbe}")
		if err != nil || out != "" {
			t.Errorf("it is given %s, %v", out, err)
		}
	})
}

// mayExempt lets subjects exempt from rules in the namespace; both in YAML. kubectl
// makes no such role by itself: no API serves the resource.
func (s space) mayExempt(rules, subjects string) {
	s.T.Helper()
	role := `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: exempting, namespace: ` + s.Name + `}
rules: [{apiGroups: [probity.dev], resources: [rules], verbs: [exempt], resourceNames: ` + rules + `}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: exempting, namespace: ` + s.Name + `}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: exempting}
subjects: [` + subjects + `]
`
	s.Admin(role, apply...)
}

// TestPermissionToExempt runs under the shipped ClusterRole: Probity may ask who may
// exempt.
func TestPermissionToExempt(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "e2e")
	s.mayExempt("[liveness-dependency-path]", "{kind: User, name: lead}, {kind: Group, name: leads}")
	s.enforce()
	lead, member := s.As("lead"), s.As("member", "leads")
	annotated := deployment("orders", exempted, asksDatabase)

	s.refused(annotated, apply, rule, `Not exempted: metadata.annotations: annotation probity.dev/exempt: user "developer" may not exempt from liveness-dependency-path: `+
		"that takes the verb exempt on the resource rules of probity.dev, named liveness-dependency-path")
	for name, kubeconfig := range map[string]string{"a user": lead, "a group": member} {
		if _, warnings, err := s.KubectlAs(kubeconfig, annotated, "apply", "--dry-run=server", "-f", "-"); err != nil || warnings != "" {
			t.Errorf("%s with the permission: %v %s", name, err, warnings)
		}
	}
	two := strings.Replace(annotated, "exempt: liveness-dependency-path", "exempt: 'liveness-dependency-path,probe-timeout-period'", 1)
	_, stderr, err := s.KubectlAs(lead, strings.Replace(two, "timeoutSeconds: 2", "timeoutSeconds: 30", 1), "apply", "--dry-run=server", "-f", "-")
	if err == nil || !strings.Contains(stderr, `user "lead" may not exempt from probe-timeout-period`) || strings.Contains(stderr, rule) {
		t.Errorf("a permission for one rule is not one for another: %v %s", err, stderr)
	}

	if _, stderr, err := s.KubectlAs(lead, annotated, apply...); err != nil {
		t.Fatalf("%v %s", err, stderr)
	}
	t.Run("what is exempted stays so, whoever writes it", func(t *testing.T) {
		s := s.in(t)
		if warnings := s.warned(strings.Replace(annotated, "replicas: 2", "replicas: 1", 1), apply...); warnings != "" {
			t.Errorf("it warns: %s", warnings)
		}
	})
	t.Run("a fault that is new is asked about", func(t *testing.T) {
		s := s.in(t)
		s.refused(deployment("orders", exempted, asksRedis), apply, rule, `user "developer" may not exempt`)
	})
	t.Run("an exemption that is taken away leaves an old fault", func(t *testing.T) {
		s := s.in(t)
		if warnings := s.warned(deployment("orders", "", asksDatabase), apply...); !strings.Contains(warnings, warning) {
			t.Errorf("got %q", warnings)
		}
	})
}

// TestARollbackToAFaultyRevision: kubectl takes the annotations of the old revision
// with its template, so that is where an exemption must stand.
func TestARollbackToAFaultyRevision(t *testing.T) {
	t.Parallel()
	s := newSpace(t, "e2e")
	s.Must(deployment("orders", "", asksDatabase), apply...)
	s.Must("", "rollout", "status", "deployment/orders", "--timeout=2m")
	s.Must(deployment("orders", "", asksItself), apply...)
	s.Must("", "rollout", "status", "deployment/orders", "--timeout=2m")
	s.enforce()
	undo := []string{"rollout", "undo", "deployment/orders", "--to-revision=1"}
	s.refused("", undo, rule, "Ask only whether this process works.")

	s.mayExempt("[]", "{kind: User, name: oncall}") // every rule
	oncall := s.As("oncall")
	out, _, err := s.Kubectl("", "get", "replicasets", "-o", `jsonpath={range .items[?(@.metadata.annotations.deployment\.kubernetes\.io/revision=="1")]}{.metadata.name}{end}`)
	if err != nil || out == "" {
		t.Fatalf("no first revision: %v", err)
	}
	if _, stderr, err := s.KubectlAs(oncall, "", "annotate", "replicaset", out, "probity.dev/exempt=liveness-dependency-path", "probity.dev/exempt-reason=incident 7"); err != nil {
		t.Fatalf("annotate: %v %s", err, stderr)
	}
	if _, stderr, err := s.KubectlAs(oncall, "", undo...); err != nil || strings.Contains(stderr, warning) {
		t.Fatalf("undo with an exemption: %v %s", err, stderr)
	}
	s.Must("", "rollout", "status", "deployment/orders", "--timeout=2m")
}
