package validate

import "fmt"

// Mode says what findings do in a namespace.
type Mode uint8

// The modes, from the mildest.
const (
	// ModeOff judges nothing.
	ModeOff Mode = iota
	// ModeAudit lets nothing reach the user: findings go to the audit log,
	// metrics, logs and reports.
	ModeAudit
	// ModeWarn denies nothing; all findings warn.
	ModeWarn
	// ModeEnforce denies what denies and warns what warns.
	ModeEnforce
)

// String returns "off", "audit", "warn" or "enforce".
func (m Mode) String() string { return [...]string{"off", "audit", "warn", "enforce"}[m] }

// ParseMode reads a mode.
func ParseMode(s string) (Mode, error) {
	for m := ModeOff; m <= ModeEnforce; m++ {
		if s == m.String() {
			return m, nil
		}
	}
	return ModeOff, fmt.Errorf("mode %q is not legal: must be enforce, warn, audit or off", s)
}

// ParseInjection reads "all", "startup", "budget" or "none".
func ParseInjection(s string) (Injection, error) {
	switch s {
	case "all":
		return Injection{Startup: true, Budget: true}, nil
	case "startup":
		return Injection{Startup: true}, nil
	case "budget":
		return Injection{Budget: true}, nil
	case "none":
		return Injection{}, nil
	default:
		return Injection{}, fmt.Errorf("inject %q is not legal: must be all, startup, budget or none", s)
	}
}

// DefaultInjection is what Probity adds in a mode when nobody says otherwise:
// everything in enforce, nothing in any other.
func (m Mode) DefaultInjection() Injection {
	on := m == ModeEnforce
	return Injection{Startup: on, Budget: on}
}

// Reaches returns what is left of an action for the user in this mode.
func (m Mode) Reaches(a Action) Action {
	switch m {
	case ModeEnforce:
		return a
	case ModeWarn:
		return min(a, Warn)
	default:
		return Off
	}
}
