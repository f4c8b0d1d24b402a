package fix

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// blockYAML writes a JSON value as YAML in block style, its members in their
// order, every line indented.
func blockYAML(value []byte, indent int) (string, error) {
	w := yamlWriter{dec: jsontext.NewDecoder(bytes.NewReader(value))}
	if err := w.value(indent, lineStart); err != nil {
		return "", err
	}
	return w.out.String(), nil
}

type yamlWriter struct {
	dec *jsontext.Decoder
	out strings.Builder
}

// place is where a value begins.
type place int

const (
	lineStart place = iota
	behindKey
	behindDash
)

// value writes the next value; what it holds is indented.
func (w *yamlWriter) value(indent int, at place) error {
	tok, err := w.dec.ReadToken()
	if err != nil {
		return err
	}
	switch kind := tok.Kind(); kind {
	case '{', '[':
		return w.collection(kind, indent, at)
	case '"':
		w.out.WriteString(" " + scalar(tok.String(), indent) + "\n")
	default:
		w.out.WriteString(" " + tok.String() + "\n")
	}
	return nil
}

func (w *yamlWriter) collection(kind jsontext.Kind, indent int, at place) error {
	closing := kind + 2 // } and ] stand two behind { and [
	pad := strings.Repeat(" ", indent)
	switch {
	case w.dec.PeekKind() == closing:
		w.out.WriteString(" " + string(rune(kind)) + string(rune(closing)) + "\n")
	case at == behindDash:
		w.out.WriteString(" ") // the first member stands on the dash's line
	case at == behindKey:
		w.out.WriteString("\n" + pad)
	default:
		w.out.WriteString(pad)
	}
	for first := true; w.dec.PeekKind() != closing; first = false {
		if !first {
			w.out.WriteString(pad)
		}
		if err := w.member(kind, indent); err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

// member writes an item of a list, or a member of an object.
func (w *yamlWriter) member(kind jsontext.Kind, indent int) error {
	if kind == '[' {
		w.out.WriteString("-")
		return w.value(indent+2, behindDash)
	}
	name, err := w.dec.ReadToken()
	if err != nil {
		return err
	}
	w.out.WriteString(oneLine(name.String()) + ":")
	if w.dec.PeekKind() == '[' {
		return w.value(indent, behindKey) // lists stand below their key, as kubectl writes them
	}
	return w.value(indent+2, behindKey)
}

// plain are strings that need no quotes: percentages, and those that begin with a
// letter or a slash and hold nothing that YAML reads in another way.
var plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./-]*$|^[1-9][0-9]*%$`)

// words are plain to the eye and no strings to YAML 1.1.
var words = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null)$`)

// scalar writes a string: as a literal block, or on one line.
func scalar(s string, indent int) string {
	if literal(s) {
		header, body := "|-", s
		if strings.HasSuffix(s, "\n") {
			header, body = "|", strings.TrimSuffix(s, "\n")
		}
		pad := strings.Repeat(" ", indent)
		return header + "\n" + pad + strings.ReplaceAll(body, "\n", "\n"+pad)
	}
	return oneLine(s)
}

// oneLine writes a string as it is, or quoted as in JSON, whose escapes are YAML's
// too.
func oneLine(s string) string {
	if plain.MatchString(s) && !words.MatchString(s) {
		return s
	}
	quoted, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return `""` // unreachable: what was decoded is UTF-8
	}
	var b strings.Builder
	for _, r := range string(quoted) {
		if unprintable(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unprintable are the characters that JSON leaves as they are and YAML does not
// take, or takes for the end of a line.
func unprintable(r rune) bool {
	return r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r >= 0xfffe && r <= 0xffff
}

// literal reports whether a string reads best as a literal block: several lines,
// none of which needs an escape.
func literal(s string) bool {
	body := strings.TrimSuffix(s, "\n")
	if !strings.Contains(body, "\n") || strings.HasPrefix(body, " ") || strings.HasPrefix(body, "\n") || strings.HasSuffix(body, "\n") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && (r < 0x20 || r >= 0x7f) })
}
