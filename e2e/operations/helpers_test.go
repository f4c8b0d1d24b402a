package operations

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/e2e/metrics"
	"github.com/probity-dev/probity/e2e/suite"
)

// space is a namespace of one test. Everything is done as the administrator.
type space struct{ *suite.Space }

// newSpace makes a namespace, under a name that documents or golden files have. Labels
// are "probity.dev/mode=enforce" and so on.
func newSpace(t *testing.T, name string, labels ...string) space {
	t.Helper()
	return space{suite.Named(t, local.ControlPlane, name, labels...)}
}

// try is kubectl as the administrator, which may fail.
func (s space) try(stdin string, args ...string) (stderr string, err error) {
	s.T.Helper()
	_, stderr, err = s.KubectlAs(s.Administrator, stdin, args...)
	return stderr, err
}

// enforced waits until the faulty Deployment is refused.
func (s space) enforced() {
	s.T.Helper()
	s.Eventually("enforcement in "+s.Name, func(context.Context) bool { return s.refused() })
}

func (s space) refused() bool {
	s.T.Helper()
	stderr, err := s.try(deployment("asked-by-the-test", asksDatabase), "create", "--dry-run=server", "-f", "-")
	return err != nil && strings.Contains(stderr, "denied the request")
}

// deployment is one without replicas, since nothing here is about them.
func deployment(name, container string) string { return suite.Deployment(name, 0, container) }

const (
	asksDatabase = suite.AsksDatabase
	asksItself   = suite.AsksItself + `, readinessProbe: {httpGet: {path: /readyz, port: 8080}, periodSeconds: 5, failureThreshold: 2}`
)

// families are the metrics that Probity shows.
func families(t *testing.T) metrics.Families {
	t.Helper()
	all, err := local.Probity.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// metric is the value of a counter or gauge with these labels.
func metric(t *testing.T, name string, labels map[string]string) float64 {
	t.Helper()
	sum, _ := families(t).Sum(name, labels)
	return sum
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
