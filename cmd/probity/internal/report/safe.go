package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Safe returns the text with everything escaped that could move a terminal's
// cursor, change its state or hide what is written: control characters, broken
// UTF-8, characters that turn the direction of writing or take no room. Names,
// paths and messages come from files that others wrote.
func Safe(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case !hidden(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// plain reports whether the text is printable ASCII, as nearly all is.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// hidden reports whether a character acts on a terminal or on the text around it
// instead of standing for itself: controls, formats (direction, joiners, tags),
// line and paragraph separators, private use.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp)
}
