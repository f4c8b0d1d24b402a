// Package admission tests Probity against a real API server, etcd, controller manager
// and scheduler, installed from its manifests and run as a program of its own.
package admission

import (
	"testing"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

// local is what the tests share.
var local *install.Local

func TestMain(m *testing.M) { suite.Main(m, &local, suite.Setup{Nodes: 2}) }
