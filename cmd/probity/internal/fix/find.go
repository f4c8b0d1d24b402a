package fix

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/probity-dev/probity/workload"
)

// spot is where a liveness probe stands in the text of a file.
type spot struct {
	// key is the offset of the member's name, value that of its value, and end the
	// one behind it.
	key, value, end int
	// column is that of the key, in bytes.
	column int
	// flow is set where the container is written in JSON or in flow style.
	flow bool
}

// find returns where the liveness probe of an operation's container stands.
func (e *editor) find(c workload.Chunk, d *workload.Document, op operation) (spot, error) {
	if begin, ok := d.Begin(); ok {
		return e.inJSON(c.Offset+begin, d, op)
	}
	line := d.Line(op.container + ".livenessProbe")
	if line < 1 || line > len(e.lines) {
		return spot{}, errLayout
	}
	key := e.line(line)
	column := strings.Index(key, "livenessProbe:")
	// Before the key there may be the dash of the list of containers.
	if column >= 0 && strings.Trim(key[:column], " -") == "" && !e.flowAt(c, d, op) {
		return spot{end: e.blockEnd(line, column), column: column}, nil
	}
	return e.inFlow(c, d, op)
}

// inJSON finds a probe in an object whose text is JSON.
func (e *editor) inJSON(begin int, d *workload.Document, op operation) (spot, error) {
	start, end, err := workload.Locate(d.JSON(), workload.Pointer(op.container)+"/livenessProbe")
	if err != nil {
		return spot{}, err
	}
	at := spot{value: begin + start, end: begin + end, flow: true}
	at.key = bytes.LastIndex(e.text[:at.value], []byte(`"livenessProbe"`))
	if at.key < 0 {
		return spot{}, errLayout // the name is written with escapes
	}
	return e.withColumn(at), nil
}

func (e *editor) withColumn(at spot) spot {
	at.column = at.key - 1 - bytes.LastIndexByte(e.text[:at.key], '\n')
	return at
}

// flowAt reports whether the container is written in flow style.
func (e *editor) flowAt(c workload.Chunk, d *workload.Document, op operation) bool {
	container, _, _ := probeNodes(c, d, op)
	return container != nil && container.Style&yaml.FlowStyle != 0
}

// inFlow finds a probe in a container that is written in flow style.
func (e *editor) inFlow(c workload.Chunk, d *workload.Document, op operation) (spot, error) {
	container, key, value := probeNodes(c, d, op)
	if container == nil || container.Style&yaml.FlowStyle == 0 || value.Kind != yaml.MappingNode {
		return spot{}, errLayout
	}
	at := spot{key: e.offset(c, key), value: e.offset(c, value), flow: true}
	at.value = skipAnchor(e.text, at.value)
	at.end = flowEnd(e.text, at.value)
	if at.end == 0 {
		return spot{}, errLayout
	}
	return e.withColumn(at), nil
}

// offset returns where a node begins in the file. The parser counts characters.
func (e *editor) offset(c workload.Chunk, n *yaml.Node) int {
	line := n.Line + c.Line - 1
	if line > len(e.lines) {
		return len(e.text)
	}
	at := e.lines[line-1]
	for range n.Column - 1 {
		_, size := utf8.DecodeRune(e.text[at:])
		at += size
	}
	return at
}

func skipAnchor(text []byte, at int) int {
	if at < len(text) && text[at] == '&' {
		for at < len(text) && text[at] != '{' && text[at] != '\n' {
			at++
		}
	}
	return at
}

// probeNodes returns the nodes of a container, of the name of its liveness probe
// and of the probe; nil for what is not there or comes by a merge key.
func probeNodes(c workload.Chunk, d *workload.Document, op operation) (container, key, value *yaml.Node) {
	var root yaml.Node
	if yaml.Unmarshal(c.Data, &root) != nil || len(root.Content) != 1 {
		return nil, nil, nil
	}
	at := resolved(root.Content[0])
	path := workload.Pointer(strings.TrimPrefix(d.Path+"."+op.container, "."))
	for token := range strings.SplitSeq(path[1:], "/") {
		if _, at = child(at, token); at == nil {
			return nil, nil, nil
		}
	}
	key, value = child(at, "livenessProbe")
	if value == nil {
		return nil, nil, nil
	}
	return at, key, value
}

func resolved(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// child returns the last member of that name, which is the one that counts, or
// the item of that index.
func child(n *yaml.Node, token string) (key, value *yaml.Node) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == token {
				key, value = n.Content[i], resolved(n.Content[i+1])
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(token); err == nil && i < len(n.Content) {
			value = resolved(n.Content[i])
		}
	}
	return key, value
}

// flowEnd returns the offset behind the flow mapping that begins at an offset, and
// 0 when there is none.
func flowEnd(text []byte, at int) int {
	if at >= len(text) || text[at] != '{' {
		return 0
	}
	depth, between := 0, true // between tokens, where a quote begins a string
	for i := at; i < len(text); i++ {
		switch c := text[i]; {
		case c == '{' || c == '[':
			depth++
			between = true
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
			between = false
		case between && (c == '"' || c == '\''):
			if i = quotedEnd(text, i); i == 0 {
				return 0
			}
			between = false
		case c == '#' && (text[i-1] == ' ' || text[i-1] == '\t' || text[i-1] == '\n'):
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
		case c == ',' || c == ':':
			between = true
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			between = false
		}
	}
	return 0
}

// quotedEnd returns the offset of the quote that ends a string, and 0 when none
// does. In ” a quote is written twice, in "" behind a backslash.
func quotedEnd(text []byte, at int) int {
	quote := text[at]
	for i := at + 1; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\':
			i++
		case text[i] != quote:
		case quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i
		}
	}
	return 0
}
