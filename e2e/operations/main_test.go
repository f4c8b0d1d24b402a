// Package operations tests what an operator does with Probity, and what Probity
// tells an operator, on a real control plane: labels, break glass as documented,
// a changed configuration, metrics, Events and permissions.
package operations

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

var update = flag.Bool("update", false, "write the golden files")

// What the tests share.
var (
	local         *install.Local
	configuration volume // with the file that Probity runs with
)

func TestMain(m *testing.M) {
	suite.Main(m, &local, suite.Setup{Nodes: 1, Last: nothingForbidden, Args: func(dir string) ([]string, error) {
		configuration = volume{dir: dir}
		return []string{"--config=" + filepath.Join(dir, fileName)}, configuration.put(harmless)
	}})
}
