package validate

import "testing"

func TestFixtures(t *testing.T) {
	t.Run("price-high", func(t *testing.T) {
		for _, c := range []struct {
			name string
			paid int
			want action
		}{
			{"tea", 2, off},
			{"tea", 3, deny},
			{"coffee", 4, deny},
			{"dear", 1, warn},
			{"milk", 9, off},
		} {
			if got := judge(c.name, c.paid); got != c.want {
				t.Errorf("%s for %d: %v", c.name, c.paid, got)
			}
		}
		if shortcut(nil) != 0 || shortcut([]string{"a", "b"}) != 2 {
			t.Error("does not count")
		}
	})
}
