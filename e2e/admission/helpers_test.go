package admission

import (
	"strings"
	"testing"

	"github.com/probity-dev/probity/e2e/suite"
)

// space is a namespace of one test.
type space struct{ *suite.Space }

// newSpace makes a namespace; labels are "probity.dev/mode=enforce" and so on.
func newSpace(t *testing.T, labels ...string) space {
	t.Helper()
	return space{suite.New(t, local.ControlPlane, "e2e", labels...)}
}

// calls counts the requests that the API server has sent to a webhook.
func calls(t *testing.T, webhook string) float64 {
	t.Helper()
	n, err := local.Metric(t.Context(), "apiserver_admission_webhook_request_total", map[string]string{"name": webhook})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const (
	validating = "workloads.validate.probity.dev"
	mutating   = "startup.mutate.probity.dev"
)

// deployment is one with two replicas.
func deployment(name, container string) string { return suite.Deployment(name, 2, container) }

const (
	asksDatabase = suite.AsksDatabase
	asksItself   = suite.AsksItself

	databaseMessage = `container "app": livenessProbe.httpGet.path asks the database (/health/db); a restart cannot repair that, so its outage restarts every replica. Ask only whether this process works. Check the rest in readiness or in an alert.`
)

// databaseMessageOf is databaseMessage as it is said of a kind: a bare Pod and a Job have
// no replicas.
func databaseMessageOf(kind string) string {
	switch kind {
	case "Pod", "Job", "CronJob":
		return strings.Replace(databaseMessage, "restarts every replica", "kills the container", 1)
	default:
		return databaseMessage
	}
}
