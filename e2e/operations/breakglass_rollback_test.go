package operations

import (
	"strings"
	"testing"
)

func TestBreakGlassForARollback(t *testing.T) {
	steps := blocks(t, "A rollback", 1)
	newShop(t, "shop")
	for _, container := range []string{asksDatabase, asksItself} { // two revisions, the first one faulty
		mustKubectl(t, deployment("orders", container), "-n", "shop", "apply", "-f", "-")
		mustKubectl(t, "", "-n", "shop", "rollout", "status", "deployment/orders", "--timeout=2m")
	}
	mustKubectl(t, "", "label", "namespace", "shop", "probity.dev/mode=enforce")
	enforced(t, "shop")
	if _, stderr, err := kubectl(t, "", "-n", "shop", "rollout", "undo", "deployment", "orders"); err == nil || !strings.Contains(stderr, "[liveness-dependency-path]") {
		t.Errorf("without an exemption: %v %s", err, stderr)
	}
	if out := newDesk(t).run(t, steps[0]); !strings.Contains(out, "deployment.apps/orders rolled back") {
		t.Errorf("it says %q", out)
	}
}
