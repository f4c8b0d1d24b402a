package workload

import (
	"errors"
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

const (
	// maxYAMLDepth bounds the nesting of a document, aliases followed.
	maxYAMLDepth = 1000
	// A document may grow tenfold in JSON, and by a megabyte more, when its
	// aliases are followed; no honest one comes near.
	maxYAMLGrowth = 10
	yamlAllowance = 1 << 20
	// maxMergedFields bounds what merge keys bring into one document.
	maxMergedFields = 100_000
)

// lineError is an error with its line in the text that was read, from 1; 0 is
// unknown.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return e.err.Error() }
func (e *lineError) Unwrap() error { return e.err }

func errorAt(n *yaml.Node, format string, args ...any) error {
	return &lineError{n.Line, fmt.Errorf(format, args...)}
}

// readYAML turns one YAML document into JSON: all of YAML, at the pace of a
// general parser. firstLine is the number of the text's first line. An empty
// document gives nil.
func readYAML(text []byte, firstLine int) (t *tree, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be read as YAML: %v", r)
		}
	}()
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, yamlError(text, err)
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	w := yamlWalker{
		tree:  &tree{json: make([]byte, 0, len(text)), line: doc.Content[0].Line + firstLine - 1, marks: []mark{}},
		shift: firstLine - 1,
		limit: maxYAMLGrowth*len(text) + yamlAllowance,
	}
	if err := w.value(doc.Content[0], 0); err != nil {
		return nil, err
	}
	return w.tree, nil
}

// yamlWalker writes a node tree as JSON.
type yamlWalker struct {
	*tree
	// shift is what to add to a node's line.
	shift int
	limit int
	// merged counts the fields that merge keys have brought.
	merged int
	// open are the anchors whose content is being written.
	open []*yaml.Node
}

func (w *yamlWalker) mark(n *yaml.Node) {
	w.marks = append(w.marks, markAt(len(w.json), n.Line+w.shift))
}

func (w *yamlWalker) value(n *yaml.Node, depth int) error {
	if depth > maxYAMLDepth {
		return errorAt(n, "is nested more than %d deep", maxYAMLDepth)
	}
	if len(w.json) > w.limit {
		return errorAt(n, "aliases make the document larger than %d bytes", w.limit)
	}
	switch n.Kind {
	case yaml.AliasNode:
		return w.alias(n, depth)
	case yaml.MappingNode:
		return w.mapping(n, depth)
	case yaml.SequenceNode:
		return w.sequence(n, depth)
	default:
		var err error
		if w.json, _, err = appendScalar(w.json, n); err != nil {
			return errorAt(n, "%w", err)
		}
		return nil
	}
}

func (w *yamlWalker) alias(n *yaml.Node, depth int) error {
	for _, o := range w.open {
		if o == n.Alias {
			return errorAt(n, "alias *%s stands inside its own anchor", n.Value)
		}
	}
	w.open = append(w.open, n.Alias)
	defer func() { w.open = w.open[:len(w.open)-1] }()
	return w.value(n.Alias, depth+1)
}

func (w *yamlWalker) sequence(n *yaml.Node, depth int) error {
	w.json = append(w.json, '[')
	for i, item := range n.Content {
		if i > 0 {
			w.json = append(w.json, ',')
		}
		w.mark(item)
		if err := w.value(item, depth+1); err != nil {
			return err
		}
	}
	w.json = append(w.json, ']')
	return nil
}

func (w *yamlWalker) mapping(n *yaml.Node, depth int) error {
	m := members{index: make(map[string]int, len(n.Content)/2), brought: &w.merged}
	if err := m.collect(n, false, 0); err != nil {
		return err
	}
	w.json = append(w.json, '{')
	first := true
	for _, e := range m.entries {
		if e.value == nil {
			continue // a later one has taken its place
		}
		if !first {
			w.json = append(w.json, ',')
		}
		first = false
		w.mark(e.key)
		if e.repeats > 0 {
			w.duplicates = append(w.duplicates, duplicate{
				offset: len(w.json), key: e.name, first: e.repeats + w.shift, last: e.key.Line + w.shift,
			})
		}
		w.json = append(appendString(w.json, e.name), ':')
		if err := w.value(e.value, depth+1); err != nil {
			return err
		}
	}
	w.json = append(w.json, '}')
	return nil
}

// members are what a mapping holds once merge keys and duplicates are settled.
type members struct {
	entries []member
	index   map[string]int
	brought *int
}

type member struct {
	name       string
	key, value *yaml.Node
	// repeats is the line of an earlier key of the same name, written in the
	// same mapping; 0 when there is none.
	repeats int
	merged  bool
}

// collect adds the members of a mapping. As in kubectl's reader, what comes
// later takes the place of what came before, merged or not.
func (m *members) collect(n *yaml.Node, merged bool, depth int) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if isMergeKey(key) {
			if err := m.merge(value, depth); err != nil {
				return err
			}
			continue
		}
		name, err := keyName(key)
		if err != nil {
			return err
		}
		e := member{name: name, key: key, value: value, merged: merged}
		if at, ok := m.index[name]; ok {
			if old := &m.entries[at]; !merged && !old.merged {
				e.repeats = old.key.Line
			}
			m.entries[at].value = nil
		}
		m.index[name] = len(m.entries)
		m.entries = append(m.entries, e)
		if !merged {
			continue
		}
		if *m.brought++; *m.brought > maxMergedFields {
			return errorAt(n, "merge keys bring more than %d fields into the document", maxMergedFields)
		}
	}
	return nil
}

func (m *members) merge(n *yaml.Node, depth int) error {
	if depth > 100 {
		return errorAt(n, "merge keys are nested more than 100 deep")
	}
	switch {
	case n.Kind == yaml.AliasNode && n.Alias.Kind == yaml.MappingNode:
		return m.collect(n.Alias, true, depth+1)
	case n.Kind == yaml.MappingNode:
		return m.collect(n, true, depth+1)
	case n.Kind == yaml.SequenceNode:
		// Backwards: of several, the first wins.
		for i := len(n.Content) - 1; i >= 0; i-- {
			if n.Content[i].Kind == yaml.SequenceNode {
				return errorAt(n, "a merge key takes an object or a list of objects, by alias or in place")
			}
			if err := m.merge(n.Content[i], depth+1); err != nil {
				return err
			}
		}
		return nil
	default:
		return errorAt(n, "a merge key takes an object or a list of objects, by alias or in place")
	}
}

func isMergeKey(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "<<" && (n.Style == 0 || n.Tag == "!!merge")
}

var errKey = errors.New("a key must be a string, a number or a boolean")

// keyName returns a key as a JSON member's name; numbers and booleans become
// text, as in kubectl's reader.
func keyName(n *yaml.Node) (string, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		return "", errorAt(n, "%w, is an object or a list", errKey)
	}
	if isString(n) {
		return n.Value, nil
	}
	text, typ, err := appendScalar(nil, n)
	switch {
	case err != nil:
		return "", errorAt(n, "%w", err)
	case typ == scalarNull:
		return "", errorAt(n, "%w, is null", errKey)
	case typ == scalarString:
		name, err := strconv.Unquote(string(text))
		if err != nil {
			return n.Value, nil //nolint:nilerr // JSON's escapes are Go's but for \/, which is not written
		}
		return name, nil
	default:
		return string(text), nil
	}
}

// isString reports whether a scalar is quoted or a block, and so its own text.
func isString(n *yaml.Node) bool {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Style&yaml.TaggedStyle == 0 && n.Style&quoted != 0
}

func appendScalar(dst []byte, n *yaml.Node) ([]byte, scalarType, error) {
	switch {
	case isString(n):
		return appendString(dst, n.Value), scalarString, nil
	case n.Style&yaml.TaggedStyle != 0:
		return appendTagged(dst, n.ShortTag(), n.Value)
	default:
		return appendPlain(dst, []byte(n.Value))
	}
}
