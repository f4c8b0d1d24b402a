package report

import "testing"

func TestSafeLeavesNothingThatActsOnATerminal(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain text stays", "deploy/a.yaml", "deploy/a.yaml"},
		{"letters of all languages stay", "größe 日本 ✓", "größe 日本 ✓"},
		{"an escape sequence", "a\x1b[2Jb", `a\x1b[2Jb`},
		{"a bell and a delete", "\a\x7f", `\x07\x7f`},
		{"line ends and tabs", "a\r\nb\tc", `a\r\nb\tc`},
		{"a C1 control", "\u009b31m", `\u009b31m`},
		{"broken UTF-8", "a\x9b\xffb", `a\x9b\xffb`},
		{"text that turns the direction", "a\u202eb\u2066c", `a\u202eb\u2066c`},
		{"what takes no room", "a\u200bb\ufeffc\u00add", `a\u200bb\ufeffc\u00add`},
		{"tags", "a\U000e0041", `a\U000e0041`},
		{"private use", "\ue000", `\ue000`},
		{"line separators", "a\u2028b", `a\u2028b`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Safe(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWrapKeepsLinesWithinTheWidth(t *testing.T) {
	s := style(true)
	tests := []struct {
		name, line, want string
		width            int
	}{
		{"no width leaves the line", "a b c", "> a b c", 0},
		{"a narrow width is no width", "a b c", "> a b c", 3},
		{"words go to the next line", "one two three four five six seven eight nine ten", "> one two three four five six seven eight\n.. nine ten", 41},
		{"a long word stays whole", "a " + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx b", "> a\n.. xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n.. b", 40},
		{"colour takes no room", s.red("one") + " two three four five six seven eight", "> \x1b[1;31mone\x1b[0m two three four five six seven eight", 41},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := wrap(tt.line, tt.width, "> ", ".. "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
