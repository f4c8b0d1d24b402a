package suite

import (
	"testing"

	"github.com/probity-dev/probity/e2e/install"
)

// NewBalancer returns one without backends, which ends with the test.
func NewBalancer(t testing.TB) *install.Balancer {
	t.Helper()
	b, err := install.NewBalancer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}
