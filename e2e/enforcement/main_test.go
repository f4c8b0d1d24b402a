// Package enforcement tests, on a real API server with its controllers, that
// enforcement takes nothing away from what runs, and what exempts from it. Probity
// runs under the permissions of its manifests and with a configuration.
package enforcement

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

// local is what the tests share.
var local *install.Local

// configuration exempts in every way that there is.
const configuration = `apiVersion: probity.dev/v1alpha1
kind: Configuration
exemptions:
  byAnnotation:
    requirePermission: true
  namespaces: [exempt-*]
  users: [emergency]
  groups: [firefighters]
  runtimeClasses: [sandboxed]
  workloads:
    - match: {kinds: [Deployment], names: [listed]}
      rules: [liveness-dependency-path]
      reason: the chart of another team
    - match: {kinds: [Deployment], names: [outdated]}
      rules: [liveness-dependency-path]
      reason: until a release that came long ago
      until: 2020-01-31
`

func TestMain(m *testing.M) {
	suite.Main(m, &local, suite.Setup{Nodes: 3, Args: func(dir string) ([]string, error) {
		file := filepath.Join(dir, "config.yaml")
		return []string{"--config=" + file}, os.WriteFile(file, []byte(configuration), 0o600)
	}})
}
