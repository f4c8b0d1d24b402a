package escape

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestTextLeavesNothingThatActsOnATerminal(t *testing.T) {
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
		{"what XML cannot hold", "\ufffe\uffff", `\ufffe\uffff`},
		{"line separators", "a\u2028b", `a\u2028b`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Text(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLinesKeepsLineEndsOnly(t *testing.T) {
	if got := Lines("a\nb\r\tc\x1b"); got != "a\n"+`b\r\tc\x1b` {
		t.Errorf("got %q", got)
	}
}

func TestShortEndsAfterAWholeCharacter(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"what fits stays", "12345678", "12345678"},
		{"what does not is cut", "123456789", "12345..."},
		{"no half a character is left", "1234é6789", "1234..."},
		{"what is escaped takes the room that it then has", "1\x1b67890", `1\x1b...`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Short(tt.text, 8); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestJSONSaysTheSame: what a reader of the JSON gets is what was written.
func TestJSONSaysTheSame(t *testing.T) {
	text := "a\x7f\u009b31m\u202e\U000e0041é\n\x1b"
	line, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if n, err := JSON(&out).Write(append(line, '\n')); err != nil || n != len(line)+1 {
		t.Errorf("wrote %d of %d, %v", n, len(line)+1, err)
	}
	const want = `"a\u007f\u009b31m\u202e\udb40\udc41é\n\u001b"` + "\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	var got string
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got != text {
		t.Errorf("read %q, %v", got, err)
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\x1b[2J\u202e\xff")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Text(text) {
			if Hidden(r) {
				t.Errorf("%q has %q", Text(text), r)
			}
		}
	})
}
