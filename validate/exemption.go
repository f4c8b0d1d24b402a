package validate

import (
	"strings"
	"time"

	"github.com/probity-dev/probity/workload"
)

// Exemptions are what a configuration lets through. They are immutable.
type Exemptions struct {
	ByAnnotation ByAnnotation
	// Namespaces, RuntimeClasses, Users and Groups are neither judged nor
	// given anything.
	Namespaces, RuntimeClasses []Glob
	Users, Groups              []Glob
	// Workloads is for what one cannot annotate.
	Workloads []Exemption
}

// ByAnnotation says how a workload may exempt itself.
type ByAnnotation struct {
	// Rules may be exempted from by annotation; none when that is not allowed.
	Rules []string
	// RequireUntil is set when such an exemption must have an end.
	RequireUntil bool
	// RequirePermission is set when the user must be allowed the verb "exempt"
	// on rules.probity.dev of the rule's name.
	RequirePermission bool
}

// Exemption takes the findings of some rules on some workloads out of action.
type Exemption struct {
	Match Match
	// Rules are ids, one at least.
	Rules  []string
	Reason string
	// Until is the last day on which it holds, at its start in UTC; zero means
	// without end.
	Until time.Time
	// Line is where it stands in the file.
	Line int
}

// Match says which findings an exemption is for. Every list that is not empty
// must have a glob that fits, and every label its value. At least one of them
// is given.
type Match struct {
	Namespaces, Kinds, Names []Glob
	// Labels are the workload's own.
	Labels map[string]Glob
	// Containers and Images are those of the finding's container; a finding on
	// no container does not match.
	Containers, Images []Glob
}

// DefaultExemptions are those of a configuration that says nothing: annotations
// may name every rule.
func DefaultExemptions() *Exemptions {
	return &Exemptions{ByAnnotation: ByAnnotation{Rules: ruleIDs()}}
}

func ruleIDs() []string {
	ids := make([]string, len(rules))
	for i, r := range rules {
		ids[i] = r.ID
	}
	return ids
}

// Glob is a pattern in which * stands for any text, none included.
type Glob string

// Match reports whether the whole text fits.
func (g Glob) Match(s string) bool {
	first, rest, star := strings.Cut(string(g), "*")
	s, ok := strings.CutPrefix(s, first)
	if !star || !ok {
		return ok && s == ""
	}
	parts := strings.Split(rest, "*")
	last := len(parts) - 1
	for _, part := range parts[:last] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return strings.HasSuffix(s, parts[last])
}

// fits reports whether a list says nothing or one of its globs matches.
func fits(globs []Glob, s string) bool { return len(globs) == 0 || matches(globs, s) }

func matches(globs []Glob, s string) bool {
	for _, g := range globs {
		if g.Match(s) {
			return true
		}
	}
	return false
}

// object reports whether the part of a match that is about the object fits.
func (m *Match) object(o *candidate) bool {
	if !fits(m.Namespaces, o.ref.Namespace) || !fits(m.Kinds, o.ref.Kind) || !fits(m.Names, o.ref.Name) {
		return false
	}
	for label, glob := range m.Labels {
		if value, ok := o.labels[label]; !ok || !glob.Match(value) {
			return false
		}
	}
	return true
}

// container reports whether the part about the finding's container fits.
func (m *Match) container(c *workload.Container) bool {
	if len(m.Containers) == 0 && len(m.Images) == 0 {
		return true
	}
	return c != nil && fits(m.Containers, c.Name) && fits(m.Images, c.Image)
}
