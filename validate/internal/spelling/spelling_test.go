package spelling

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"liveness-window", "readiness-window", "off", "warn"}
	tests := map[string]string{
		"liveness-windw":     "liveness-window",
		"Liveness-Window":    "liveness-window",
		"livenes-widow":      "liveness-window",
		"liveness":           "",
		"of":                 "off",
		"wrn":                "warn",
		"w":                  "",
		"":                   "",
		"something entirely": "",
	}
	for name, want := range tests {
		if got := Nearest(name, names); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
