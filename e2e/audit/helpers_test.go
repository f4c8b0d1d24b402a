package audit

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"testing"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

// space is a namespace of one test.
type space struct{ *suite.Space }

// newSpace makes a namespace in that mode, where Probity adds nothing.
func newSpace(t *testing.T, name, mode string) space {
	t.Helper()
	return space{suite.Named(t, local.ControlPlane, name, "probity.dev/inject=none", "probity.dev/mode="+mode)}
}

func (s space) apply(manifest string) { s.T.Helper(); s.Admin(manifest, "apply", "-f", "-") }

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

// reports returns those of the namespace, in order of their names.
func (s space) reports(resource string) []report {
	s.T.Helper()
	var list struct{ Items []report }
	text, _ := s.Admin("", "get", resource, "-o", "json")
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		s.T.Fatal(err)
	}
	return list.Items
}

// metric sums the series of a metric that a replica shows; ok is false where there
// is none.
func metric(t testing.TB, p *install.Probity, name string) (sum float64, ok bool) {
	t.Helper()
	all, err := p.Metrics(t.Context())
	if unreachable := (*url.Error)(nil); errors.As(err, &unreachable) {
		return 0, false // it does not run
	}
	if err != nil {
		t.Fatal(err)
	}
	return all.Sum(name, nil)
}

// scans waits until a replica has ended that many scans that began after the call.
func scans(t testing.TB, p *install.Probity, n int) {
	t.Helper()
	last, _ := metric(t, p, lastRun)
	for range n + 1 { // the first may have begun before
		suite.Eventually(t, "a scan", func(context.Context) bool {
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

// deployment is one with two replicas.
func deployment(name, container string) string { return suite.Deployment(name, 2, container) }

const (
	asksDatabase = suite.AsksDatabase
	asksItself   = suite.AsksItself
	hangs        = `livenessProbe: {httpGet: {path: /health/db, port: 8080}, timeoutSeconds: 20}`
)
