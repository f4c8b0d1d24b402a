package validate

import "testing"

func TestKnown(t *testing.T) {
	for _, c := range []struct {
		name string
		paid int
		want bool
	}{
		{"tea", 1, true},
		{"coffee", 3, true},
		{"coffee", 2, false},
		{"milk", 3, false},
	} {
		if known(c.name, c.paid) != c.want {
			t.Errorf("%s for %d: %v", c.name, c.paid, !c.want)
		}
	}
}
