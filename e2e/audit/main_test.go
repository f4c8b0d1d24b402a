// Package audit tests Probity's audit against a real API server: the reports that it
// keeps, which replica does so, and what `probity audit` prints.
package audit

import (
	"flag"
	"testing"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

var update = flag.Bool("update", false, "write the golden files")

// local is what the tests share.
var local *install.Local

// interval is short, so that tests need not wait; nothing else differs.
const interval = "--audit-interval=1s"

func TestMain(m *testing.M) {
	suite.Main(m, &local, suite.Setup{Nodes: 2, Args: func(string) ([]string, error) { return []string{interval}, nil }})
}
