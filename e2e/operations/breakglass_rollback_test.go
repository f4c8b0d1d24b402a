package operations

import (
	"strings"
	"testing"
)

func TestBreakGlassForARollback(t *testing.T) {
	steps := blocks(t, "A rollback", 1)
	s := newSpace(t, "shop")
	for _, container := range []string{asksDatabase, asksItself} { // two revisions, the first one faulty
		s.Admin(deployment("orders", container), "apply", "-f", "-")
		s.Admin("", "rollout", "status", "deployment/orders", "--timeout=2m")
	}
	s.Label("probity.dev/mode=enforce")
	s.enforced()
	if stderr, err := s.try("", "rollout", "undo", "deployment", "orders"); err == nil || !strings.Contains(stderr, "[liveness-dependency-path]") {
		t.Errorf("without an exemption: %v %s", err, stderr)
	}
	if out := newDesk(t).run(t, steps[0]); !strings.Contains(out, "deployment.apps/orders rolled back") {
		t.Errorf("it says %q", out)
	}
}
