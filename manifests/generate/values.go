package main

import (
	"fmt"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v3"
)

// value is one entry of values.yaml.
type value struct {
	path string // image.tag
	node *yaml.Node
	doc  string
	// below are the entries of a mapping that have comments of their own.
	below []value
}

// addValues adds what is made from values.yaml.
func addValues(manifests fs.FS, files map[string]string) error {
	all, err := readValues(manifests)
	if err != nil {
		return err
	}
	const readme = "README.md"
	text, err := fs.ReadFile(manifests, "chart/"+readme)
	if err != nil {
		return err
	}
	if files[readme], err = withTable(string(text), table(all)); err != nil {
		return err
	}
	files["values.schema.json"], err = schema(all)
	return err
}

// readValues returns the documented entries. Every entry must have a comment, or
// be a part of one that has.
func readValues(manifests fs.FS) ([]value, error) {
	text, err := fs.ReadFile(manifests, "chart/values.yaml")
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("manifests/chart/values.yaml: %w", err)
	}
	return entries("", document.Content[0])
}

func entries(prefix string, mapping *yaml.Node) ([]value, error) {
	var all []value
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, node := mapping.Content[i], mapping.Content[i+1]
		v := value{path: prefix + key.Value, node: node, doc: comment(key)}
		if node.Kind == yaml.MappingNode && documented(node) {
			below, err := entries(v.path+".", node)
			if err != nil {
				return nil, err
			}
			v.below = below
		}
		if v.doc == "" && v.below == nil {
			return nil, fmt.Errorf("manifests/chart/values.yaml:%d: %s has no comment that says what it is for", key.Line, v.path)
		}
		all = append(all, v)
	}
	return all, nil
}

func documented(mapping *yaml.Node) bool {
	for i := 0; i < len(mapping.Content); i += 2 {
		if comment(mapping.Content[i]) != "" {
			return true
		}
	}
	return false
}

// comment returns the lines right above a key, as one.
func comment(key *yaml.Node) string {
	paragraphs := strings.Split(key.HeadComment, "\n\n")
	lines := strings.Split(paragraphs[len(paragraphs)-1], "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(l, "#"), " ")
	}
	return strings.Join(lines, " ")
}

// table is the one of the README.
func table(all []value) string {
	var b strings.Builder
	b.WriteString("| value | default | |\n| --- | --- | --- |\n")
	addRows(&b, all)
	return b.String()
}

func addRows(b *strings.Builder, all []value) {
	for _, v := range all {
		if v.below != nil {
			addRows(b, v.below)
			continue
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", v.path, defaultText(v.node), strings.ReplaceAll(v.doc, "|", `\|`))
	}
}

// defaultText shows a default in one line; a long one is in values.yaml.
func defaultText(node *yaml.Node) string {
	switch {
	case node.Kind == yaml.ScalarNode && node.Value == "":
		return "empty"
	case node.Kind == yaml.ScalarNode:
		return "`" + node.Value + "`"
	case len(node.Content) == 0:
		return "none"
	default:
		return "see [values.yaml](values.yaml)"
	}
}

const (
	tableStart = "<!-- The table is made from values.yaml by `make generate`. -->\n"
	tableEnd   = "<!-- end of the table -->\n"
)

func withTable(readme, table string) (string, error) {
	before, rest, ok := strings.Cut(readme, tableStart)
	_, after, end := strings.Cut(rest, tableEnd)
	if !ok || !end {
		return "", fmt.Errorf("manifests/chart/README.md: the table stands between %q and %q, and they are not there", tableStart, tableEnd)
	}
	return before + tableStart + "\n" + table + "\n" + tableEnd + after, nil
}
