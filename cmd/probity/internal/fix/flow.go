package fix

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// flow writes a probe as a further member behind the liveness probe, in JSON or in
// flow style, whichever that is written in: on its line, or on lines of its own.
func (e *editor) flow(at spot, op operation) (string, error) {
	before := e.text[:at.key]
	margin := before[bytes.LastIndexByte(before, '\n')+1:]
	ownLine := len(bytes.TrimLeft(margin, " \t")) == 0
	separator := ", "
	colon := ": "
	if compact(e.text[at.key:at.value]) {
		separator, colon = ",", ":"
	}
	if ownLine {
		separator = "," + e.eol + string(margin)
	}
	name, value := "startupProbe", ""
	var err error
	switch liveness := e.text[at.value:at.end]; {
	case e.text[at.key] != '"':
		value, err = flowYAML(op.probe)
	case ownLine && bytes.IndexByte(liveness, '\n') > 0:
		value, err = indented(op.probe, string(margin), step(liveness, margin))
	default:
		value, err = spaced(op.probe, colon)
	}
	if err != nil {
		return "", err
	}
	if e.text[at.key] == '"' {
		name = `"startupProbe"`
	}
	return separator + name + colon + strings.ReplaceAll(value, "\n", e.eol), nil
}

// compact reports whether a member has no blank between its name and its value.
func compact(member []byte) bool { return bytes.HasSuffix(member, []byte(":")) }

// step is by how much what stands in a value of several lines is indented.
func step(value, margin []byte) string {
	_, inner, _ := bytes.Cut(value, []byte("\n"))
	indent := inner[:len(inner)-len(bytes.TrimLeft(inner, " \t"))]
	if rest, ok := bytes.CutPrefix(indent, margin); ok && len(rest) > 0 {
		return string(rest)
	}
	return "  "
}

func indented(value []byte, margin, step string) (string, error) {
	var b bytes.Buffer
	err := json.Indent(&b, value, margin, step)
	return b.String(), err
}

// spaced writes JSON on one line, with blanks where the text around it has them.
func spaced(value []byte, colon string) (string, error) {
	v := jsontext.Value(bytes.Clone(value))
	spaces := colon == ": "
	err := v.Format(jsontext.SpaceAfterColon(spaces), jsontext.SpaceAfterComma(spaces))
	return string(v), err
}

// flowYAML writes a JSON value as YAML in flow style.
func flowYAML(value []byte) (string, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(value))
	var b strings.Builder
	for {
		depth := dec.StackDepth()
		kind, count := dec.StackIndex(depth)
		if depth == 0 && count > 0 {
			return b.String(), nil
		}
		tok, err := dec.ReadToken()
		if err != nil {
			return "", err
		}
		closing := tok.Kind() == '}' || tok.Kind() == ']'
		switch {
		case depth == 0 || count == 0 || closing:
		case kind == '{' && count%2 == 1:
			b.WriteString(": ")
		default:
			b.WriteString(", ")
		}
		if tok.Kind() == '"' {
			b.WriteString(oneLine(tok.String()))
		} else {
			b.WriteString(tok.String())
		}
	}
}
