package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/probity-dev/probity/validate"
)

// FuzzParse: whatever the text, it is a configuration that can be judged by, or
// an error that says what is wrong and cannot garble a terminal.
func FuzzParse(f *testing.F) {
	f.Add(everything)
	for _, m := range mistakes {
		f.Add(header + m.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse("config.yaml", []byte(text))
		if err == nil {
			for _, profile := range validate.Profiles {
				if c.Policy(profile) == nil || c.Kinds() == nil {
					t.Fatal("a configuration without a policy or kinds")
				}
			}
			return
		}
		var all *Error
		if !errors.As(err, &all) || len(all.Problems) == 0 {
			t.Fatalf("an error without a problem: %v", err)
		}
		last := 0
		for _, p := range all.Problems {
			if p.Line < last || p.Line > strings.Count(text, "\n")+strings.Count(text, "\r")+strings.Count(text, "\u0085")+strings.Count(text, "\u2028")+strings.Count(text, "\u2029")+2 {
				t.Errorf("line %d after line %d: %s", p.Line, last, p.Message)
			}
			last = p.Line
			for _, r := range p.Path + p.Message {
				if r < ' ' || r == 0x7f {
					t.Errorf("a control character in %q %q", p.Path, p.Message)
				}
			}
		}
	})
}
