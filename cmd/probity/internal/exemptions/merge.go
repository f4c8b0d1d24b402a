package exemptions

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/probity-dev/probity/validate/config"
)

// The fields of a configuration that hold the list.
const (
	exemptionsField = "exemptions"
	workloadsField  = "workloads"
)

// newFile is a configuration that says nothing.
const newFile = `# What broke Probity's rules when this was written. It is let through, and all
# that is new is judged. Take an entry out when it is mended.
apiVersion: ` + config.APIVersion + `
kind: ` + config.Kind + `
`

// Merge returns the text of a configuration with the list's exemptions in it;
// empty text stands for a new one, and name is what errors call it. Lines are
// added and all others stay as they are, as far as the text is laid out in blocks;
// else it is laid out anew, with its comments. What is written is read again: the
// result is legal, and holds what was there before.
func (l *List) Merge(name string, text []byte, t Terms) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte(newFile)
	}
	if _, err := config.Parse(name, text); err != nil {
		return nil, err
	}
	entries := l.entries(t)
	if len(entries) == 0 {
		return text, nil
	}
	for _, write := range []func([]byte, []*yaml.Node) ([]byte, error){inserted, laidOut} {
		merged, err := write(text, entries)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if merged == nil || !holds(merged, text, entries) {
			continue
		}
		if _, err := config.Parse(name, merged); err != nil {
			return nil, err
		}
		return merged, nil
	}
	return nil, fmt.Errorf("%s: exemptions cannot be added to a text that is laid out like this; write them to a new file and copy them", name)
}

// inserted puts the entries on lines of their own, before those that are there;
// nil where the text is not laid out in blocks.
func inserted(text []byte, entries []*yaml.Node) ([]byte, error) {
	root, err := rootOf(text)
	if err != nil {
		return nil, err
	}
	list, err := block(entries)
	if err != nil {
		return nil, err
	}
	if root.Style&yaml.FlowStyle != 0 || root.Column != 1 {
		return nil, nil
	}
	exemptions := member(root, exemptionsField)
	if exemptions.key == nil {
		return append(ended(text), exemptionsField+":\n  "+workloadsField+":\n"+indented(list, 4)...), nil
	}
	workloads := member(exemptions.value, workloadsField)
	switch {
	case !opens(exemptions):
		return nil, nil
	case workloads.key == nil:
		margin := 2
		if len(exemptions.value.Content) > 0 {
			margin = exemptions.value.Content[0].Column - 1
		}
		lines := strings.Repeat(" ", margin) + workloadsField + ":\n" + indented(list, margin+2)
		return below(text, exemptions.key.Line, lines), nil
	case !opens(workloads):
		return nil, nil
	default:
		margin := workloads.key.Column + 1
		if len(workloads.value.Content) > 0 {
			margin = workloads.value.Column - 1
		}
		return below(text, workloads.key.Line, indented(list, margin)), nil
	}
}

// laidOut writes the whole text anew.
func laidOut(text []byte, entries []*yaml.Node) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	exemptions := child(doc.Content[0], exemptionsField, yaml.MappingNode)
	workloads := child(exemptions, workloadsField, yaml.SequenceNode)
	workloads.Content = append(slices.Clone(entries), workloads.Content...)
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	err := errors.Join(enc.Encode(&doc), enc.Close())
	return out.Bytes(), err
}

// field is a member of a mapping; the zero value is none.
type field struct{ key, value *yaml.Node }

func member(mapping *yaml.Node, name string) field {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return field{}
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return field{mapping.Content[i], mapping.Content[i+1]}
		}
	}
	return field{}
}

// opens reports whether lines below the key belong to its value: a block, or
// nothing yet.
func opens(f field) bool {
	empty := f.value.Kind == yaml.ScalarNode && f.value.Tag == "!!null" && f.value.Value == ""
	return empty || f.value.Style&yaml.FlowStyle == 0 && f.value.Line > f.key.Line
}

// child returns a member in block style, and makes it where it is not.
func child(mapping *yaml.Node, name string, kind yaml.Kind) *yaml.Node {
	f := member(mapping, name)
	if f.key == nil {
		put(mapping, name, &yaml.Node{})
		f = member(mapping, name)
	}
	if f.value.LineComment != "" { // there is no place for it behind a block
		f.key.HeadComment = strings.TrimPrefix(f.key.HeadComment+"\n"+f.value.LineComment, "\n")
		f.value.LineComment = ""
	}
	if f.value.Kind != kind { // nothing, by another name
		f.value.Kind, f.value.Tag, f.value.Value = kind, "", ""
	}
	mapping.Style &^= yaml.FlowStyle
	f.value.Style &^= yaml.FlowStyle
	return f.value
}

func rootOf(text []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	return doc.Content[0], nil
}

// block writes the entries as a list without indent.
func block(entries []*yaml.Node) (string, error) {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	err := errors.Join(enc.Encode(&yaml.Node{Kind: yaml.SequenceNode, Content: entries}), enc.Close())
	return out.String(), err
}

func indented(text string, margin int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Repeat(" ", margin) + line)
	}
	return b.String()
}

// below puts lines behind a line of the text.
func below(text []byte, line int, lines string) []byte {
	at := 0
	for range line {
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			text = append(bytes.Clone(text), '\n')
			end = len(text) - 1 - at
		}
		at += end + 1
	}
	return slices.Concat(text[:at], []byte(lines), text[at:])
}

// ended returns the text with the end of its last line.
func ended(text []byte) []byte {
	if text[len(text)-1] != '\n' {
		return append(bytes.Clone(text), '\n')
	}
	return bytes.Clone(text)
}

// holds reports whether merged is text with the entries before those of its list.
func holds(merged, text []byte, entries []*yaml.Node) bool {
	var got, want map[string]any
	if yaml.Unmarshal(merged, &got) != nil || yaml.Unmarshal(text, &want) != nil {
		return false
	}
	exemptions, _ := want[exemptionsField].(map[string]any)
	if exemptions == nil {
		exemptions = map[string]any{}
		want[exemptionsField] = exemptions
	}
	var list []any
	for _, e := range entries {
		var v any
		if e.Decode(&v) != nil {
			return false
		}
		list = append(list, v)
	}
	before, _ := exemptions[workloadsField].([]any)
	exemptions[workloadsField] = append(list, before...)
	return reflect.DeepEqual(got, want)
}
