// Package budgetadmission tests how Probity judges disruption budgets, and what
// changes them, on a real API server with its controllers.
package budgetadmission

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/probity-dev/probity/e2e/install"
)

// local is what the tests share: starting it takes longer than all of them.
var local *install.Local

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (code int, err error) {
	if local, err = install.StartLocal(context.Background(), 2, os.Stderr, "--shutdown-delay=0s"); err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, local.Stop()) }()
	return m.Run(), nil
}
