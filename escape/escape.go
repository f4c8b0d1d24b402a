// Package escape keeps what others wrote from acting on whoever reads it. Names,
// paths, commands and annotations come from manifests that anybody may have
// written; they reach terminals, logs, Events, reports and answers to users, and
// each of these escapes them here.
package escape

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns the text with everything escaped that could move a terminal's
// cursor, change its state or hide what is written: control characters, broken
// UTF-8, characters that turn the direction of writing or take no room. What it
// returns is one line, and legal in XML.
func Text(s string) string { return escaped(s, false) }

// Lines is Text for text of several lines, whose ends stay.
func Lines(s string) string { return escaped(s, true) }

// Short is Text for where there is room for so many bytes: what is longer ends, after
// a whole character, in "...".
func Short(s string, most int) string {
	if s = Text(s); len(s) <= most {
		return s
	}
	return Begin(s, most-len(dots))
}

// Begin is at most so many bytes of a text that may be of any length, up to the end of a
// character, with "..." behind where there is more. It escapes nothing.
func Begin(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + dots
}

const dots = "..."

func escaped(s string, lines bool) string {
	if plain(s, lines) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' && lines:
			b.WriteByte('\n')
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case !Hidden(r):
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

// plain reports whether the text is printable ASCII, as nearly all is, and perhaps the
// ends of lines.
func plain(s string, lines bool) bool {
	for i := range len(s) {
		if (s[i] < 0x20 || s[i] > 0x7e) && (!lines || s[i] != '\n') {
			return false
		}
	}
	return true
}

// Hidden reports whether a character acts on a terminal or on the text around it
// instead of standing for itself: controls, formats (direction, joiners, tags),
// line and paragraph separators, private use, and what XML cannot hold.
func Hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp) || r == 0xfffe || r == 0xffff
}

// JSON returns a writer for lines of JSON. JSON itself escapes controls below a
// blank, and no others; those can stand within its strings only, where \u says the
// same. Each call of Write has whole characters.
func JSON(w io.Writer) io.Writer { return jsonWriter{w} }

type jsonWriter struct{ io.Writer }

func (w jsonWriter) Write(line []byte) (int, error) {
	if !bytes.ContainsFunc(line, func(r rune) bool { return r >= 0x7f }) {
		return w.Writer.Write(line)
	}
	var b strings.Builder
	for _, r := range string(line) {
		switch {
		case r < 0x7f || !Hidden(r): // controls among them are JSON's own, between values
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	if _, err := io.WriteString(w.Writer, b.String()); err != nil {
		return 0, err
	}
	return len(line), nil
}
