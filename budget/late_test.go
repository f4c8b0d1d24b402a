package budget

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// TestAWatchThatComesLateBringsNoWrite has the watch of budgets tell of what was before
// a write of ours, after it.
func TestAWatchThatComesLateBringsNoWrite(t *testing.T) {
	ours := changed(ourSpec, ourLabel, ourOwner)
	late := func(c *cluster, version string) *item {
		return &item{record: *c.stored([]byte(ours), func(meta map[string]any) {
			meta["uid"], meta["resourceVersion"] = "uid-before", version
		})}
	}
	tests := []struct {
		name string
		tell func(c *cluster, s *store) error
	}{
		{"the one before was changed, and is gone", func(c *cluster, s *store) error {
			return errors.Join(s.Update(late(c, "50")), s.Delete(late(c, "60")))
		}},
		{"the one before is gone", func(c *cluster, s *store) error { return s.Delete(late(c, "60")) }},
		{"there was none when everything was listed", func(_ *cluster, s *store) error { return s.Replace(nil, "70") }},
		{"the one before was listed, and is gone", func(c *cluster, s *store) error {
			return errors.Join(s.Replace([]any{late(c, "50")}, "70"), s.Delete(late(c, "80")))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newCluster(t)
			c.put(deployment("web", "app: web", 3))
			c.expect("at first", "apply shop/probity-deployment-web force=false")
			s := &store{state: c.state, watching: &watching{resource: budgets()}}
			if err := tt.tell(c, s); err != nil {
				t.Fatal(err)
			}
			c.expect("after what was before")
			if err := s.Replace(nil, "1000"); err != nil {
				t.Fatal(err)
			}
			c.expect("when it is gone in truth", "apply shop/probity-deployment-web force=false")
		})
	}
}

func TestABudgetIsWithdrawnOnce(t *testing.T) {
	c := newCluster(t)
	c.put(deployment("web", "app: web", 1))
	c.put(changed(ourSpec, ourLabel, ourOwner))
	c.fail = apierrors.NewNotFound(schema.GroupResource{Group: "policy", Resource: "poddisruptionbudgets"}, "probity-deployment-web")
	c.expect("it is gone already", "delete shop/probity-deployment-web")
	if diff := cmp.Diff([]string(nil), c.events); diff != "" {
		t.Error(diff)
	}
}
