package report

import "testing"

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
