package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/probity-dev/probity/validate/internal/spelling"
)

// value is what may stand at a place of the file. One tree of values reads the
// file and describes itself as a schema, so that the two cannot disagree.
type value interface {
	// read notes in d what is wrong.
	read(d *decoder, n *yaml.Node, path string)
	schema() *schema
}

// object is a mapping with known fields.
type object struct {
	fields []field
	// noun is what a field is called in messages; empty means "field".
	noun string
	// lists says where all names are listed, when they are too many for a
	// message.
	lists string
	// atLeastOne is set when an object without fields is not legal.
	atLeastOne bool
	// after looks at the object as a whole. It is called when every field by
	// itself is legal.
	after func(*placed)
}

type field struct {
	name     string
	doc      string
	value    value
	required bool
}

// placed is an object with its place in the file.
type placed struct {
	*decoder
	node   *yaml.Node
	path   string
	values map[string]*yaml.Node
	before int
}

// wrong reports whether something in the object is.
func (p *placed) wrong() bool { return p.found > p.before }

// problem notes what is wrong with a field, on its line if it is there; an
// empty name means the object itself.
func (p *placed) problem(name, format string, args ...any) {
	node, path := p.node, p.path
	if name != "" {
		path = member(path, name)
	}
	if n := p.values[name]; n != nil {
		node = n
	}
	p.decoder.problem(node, path, format, args...)
}

func (o object) read(d *decoder, n *yaml.Node, path string) {
	n, ok := d.want(n, yaml.MappingNode, path, "must hold fields")
	if !ok {
		return
	}
	p := placed{decoder: d, node: n, path: path, values: map[string]*yaml.Node{}, before: d.found}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			d.problem(key, path, "must have names as keys, has %s", show(key))
			continue
		}
		if line, twice := lines[key.Value]; twice {
			d.problem(key, member(path, key.Value), "stands twice, first on line %d", line)
			continue
		}
		lines[key.Value] = key.Line
		f := o.find(key.Value)
		if f == nil {
			d.problem(key, path, "%s", o.unknown(key.Value))
			continue
		}
		p.values[f.name] = v
		f.value.read(d, v, member(path, f.name))
	}
	for _, f := range o.fields {
		if _, ok := lines[f.name]; !ok && f.required {
			d.problem(n, path, "must have %s", f.name)
		}
	}
	if o.atLeastOne && len(lines) == 0 {
		d.problem(n, path, "must have at least one of %s", strings.Join(o.names(), ", "))
	}
	if o.after != nil && !p.wrong() {
		o.after(&p)
	}
}

func (o object) find(name string) *field {
	for i := range o.fields {
		if o.fields[i].name == name {
			return &o.fields[i]
		}
	}
	return nil
}

// unknown says what is legal in place of a name.
func (o object) unknown(name string) string {
	noun := o.noun
	if noun == "" {
		noun = "field"
	}
	legal := o.lists
	if near := spelling.Nearest(name, o.names()); near != "" {
		legal = fmt.Sprintf("did you mean %q?", near)
	} else if legal == "" {
		legal = "legal: " + strings.Join(o.names(), ", ")
	}
	return fmt.Sprintf("has no %s %q; %s", noun, clip(name), legal)
}

func (o object) names() []string {
	names := make([]string, len(o.fields))
	for i, f := range o.fields {
		names[i] = f.name
	}
	return names
}

func (o object) schema() *schema {
	s := &schema{Type: orNull("object"), AdditionalProperties: false}
	for _, f := range o.fields {
		v := f.value.schema()
		v.Description = f.doc
		s.Properties = append(s.Properties, property{f.name, v})
		if f.required {
			s.Required = append(s.Required, f.name)
		}
	}
	if o.atLeastOne {
		s.Type, s.MinProperties = "object", 1
	}
	if len(s.Required) > 0 {
		s.Type = "object"
	}
	return s
}

// list is a sequence of values of one sort, appended to a target.
type list[T any] struct {
	target *[]T
	item   func(*T) value
	// some is set when the list must not be empty.
	some bool
}

func (l list[T]) read(d *decoder, n *yaml.Node, path string) {
	n, ok := d.want(n, yaml.SequenceNode, path, "must be a list")
	if !ok {
		return
	}
	if l.some && len(n.Content) == 0 {
		d.problem(n, path, "must not be empty")
	}
	for i, c := range n.Content {
		var item T
		l.item(&item).read(d, c, fmt.Sprintf("%s[%d]", path, i))
		*l.target = append(*l.target, item)
	}
}

func (l list[T]) schema() *schema {
	s := &schema{Type: orNull("array"), Items: l.item(new(T)).schema()}
	if l.some {
		s.Type, s.MinItems = "array", 1
	}
	return s
}

// dictionary is a mapping whose keys are free.
type dictionary[T any] struct {
	target *map[string]T
	item   func(*T) value
}

func (m dictionary[T]) read(d *decoder, n *yaml.Node, path string) {
	n, ok := d.want(n, yaml.MappingNode, path, "must hold fields")
	if !ok {
		return
	}
	*m.target = map[string]T{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Value == "" {
			d.problem(key, path, "must have names as keys, has %s", show(key))
			continue
		}
		if _, twice := (*m.target)[key.Value]; twice {
			d.problem(key, element(path, key.Value), "stands twice")
			continue
		}
		var item T
		m.item(&item).read(d, v, element(path, key.Value))
		(*m.target)[key.Value] = item
	}
}

func (m dictionary[T]) schema() *schema {
	return &schema{
		Type:                 orNull("object"),
		PropertyNames:        &schema{Pattern: "."},
		AdditionalProperties: m.item(new(T)).schema(),
	}
}

// member is the path of a field.
func member(path, name string) string {
	name = plain(name)
	if path == "" {
		return name
	}
	return path + "." + name
}

// element is the path of what a free key holds.
func element(path, key string) string { return path + "[" + plain(key) + "]" }

// choices writes "a, b or c".
func choices(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
