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
	if err := w.value(indent, true); err != nil {
		return "", err
	}
	return w.out.String(), nil
}

type yamlWriter struct {
	dec *jsontext.Decoder
	out strings.Builder
}

// value writes the next value. fresh is set at the start of a line, where a
// collection writes its own indent for its first line too.
func (w *yamlWriter) value(indent int, fresh bool) error {
	tok, err := w.dec.ReadToken()
	if err != nil {
		return err
	}
	switch kind := tok.Kind(); kind {
	case '{', '[':
		return w.collection(kind, indent, fresh)
	case '"':
		w.out.WriteString(" " + scalar(tok.String(), indent) + "\n")
	default:
		w.out.WriteString(" " + tok.String() + "\n")
	}
	return nil
}

func (w *yamlWriter) collection(kind jsontext.Kind, indent int, fresh bool) error {
	closing := jsontext.Kind(kind + 2) // } and ] stand two behind { and [
	if w.dec.PeekKind() == closing {
		w.out.WriteString(" " + string(rune(kind)) + string(rune(closing)) + "\n")
	} else if !fresh {
		w.out.WriteString("\n")
	}
	for w.dec.PeekKind() != closing {
		w.out.WriteString(strings.Repeat(" ", indent))
		if kind == '[' {
			w.out.WriteString("-")
			if err := w.value(indent+2, false); err != nil {
				return err
			}
			continue
		}
		name, err := w.dec.ReadToken()
		if err != nil {
			return err
		}
		w.out.WriteString(oneLine(name.String()) + ":")
		inner := indent + 2
		if w.dec.PeekKind() == '[' {
			inner = indent // lists stand below their key, as kubectl writes them
		}
		if err := w.value(inner, false); err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

// plain are strings that need no quotes: they begin with a letter or a slash and
// hold nothing that YAML reads in another way.
var plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./-]*$`)

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
