// Package faults breaks what Probity needs, on a real control plane, and shows that
// nothing is lost and nothing is held up that should not be. What an operator may
// expect of each fault stands in docs/operations.md.
package faults

import (
	"testing"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

// local is what those tests share that leave the API server and etcd alone.
var local *install.Local

func TestMain(m *testing.M) {
	suite.Main(m, &local, suite.Setup{Nodes: 1, Args: func(string) ([]string, error) { return arguments(), nil }})
}

// arguments of every Probity here. Audits are frequent, so that tests need not wait.
func arguments() []string { return []string{"--shutdown-delay=0s", "--audit-interval=1s"} }
