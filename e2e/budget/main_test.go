// Package budget tests the controller of disruption budgets against a real API
// server, with its controllers, scheduler and garbage collector, and nodes that kwok
// plays.
package budget

import (
	"testing"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

// local is what the tests share.
var local *install.Local

func TestMain(m *testing.M) { suite.Main(m, &local, suite.Setup{Nodes: 4}) }
