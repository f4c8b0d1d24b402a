// Package budgetadmission tests how Probity judges disruption budgets, and what
// changes them, on a real API server with its controllers.
package budgetadmission

import (
	"testing"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

// local is what the tests share.
var local *install.Local

func TestMain(m *testing.M) { suite.Main(m, &local, suite.Setup{Nodes: 2}) }
