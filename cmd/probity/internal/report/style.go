package report

import (
	"strings"
	"unicode/utf8"

	"github.com/probity-dev/probity/validate"
)

// style colours text, or leaves it alone when it is false.
type style bool

func (s style) paint(code, text string) string {
	if !s {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string   { return s.paint("1", text) }
func (s style) dim(text string) string    { return s.paint("2", text) }
func (s style) red(text string) string    { return s.paint("1;31", text) }
func (s style) yellow(text string) string { return s.paint("1;33", text) }
func (s style) green(text string) string  { return s.paint("32", text) }

// action gives what a finding does, in its colour.
func (s style) action(f validate.Finding) string {
	switch {
	case f.Exempted:
		return s.dim("exempted")
	case f.Action == validate.Deny:
		return s.red("deny")
	default:
		return s.yellow("warn")
	}
}

// minWidth is the least room for text that is worth wrapping for.
const minWidth = 40

// wrap breaks a line at blanks so that no part is wider than width columns,
// with an indent for the first part and one for the others. A width under
// minWidth leaves the line whole.
func wrap(line string, width int, first, rest string) string {
	if width < minWidth {
		return first + line
	}
	var b strings.Builder
	b.WriteString(first)
	column := len(first)
	for i, word := range strings.Split(line, " ") {
		n := visible(word)
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n" + rest)
			column = len(rest)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// visible counts the characters of a word without its colour codes.
func visible(word string) int {
	n := 0
	for word != "" {
		before, after, coloured := strings.Cut(word, "\x1b[")
		n += utf8.RuneCountInString(before)
		if !coloured {
			break
		}
		_, word, _ = strings.Cut(after, "m")
	}
	return n
}
