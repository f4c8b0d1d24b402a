package config

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func readDocs(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestExamplesOfTheDocumentationAreLegal parses every YAML block; of a
// ConfigMap, what it holds. Other objects, which have metadata as no configuration
// has, are passed over.
func TestExamplesOfTheDocumentationAreLegal(t *testing.T) {
	blocks := strings.Split(readDocs(t), "```yaml\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("no example")
	}
	for _, block := range blocks {
		text, _, _ := strings.Cut(block, "```")
		var object struct {
			Metadata map[string]any
			Data     map[string]string
		}
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		inner, ok := object.Data["config.yaml"]
		switch {
		case ok:
			text = inner
		case object.Metadata != nil:
			continue
		}
		if _, err := Parse("docs/configuration.md", []byte(text)); err != nil {
			t.Errorf("%v\nin\n%s", err, text)
		}
	}
}

// TestEveryFieldIsDocumented looks for each field, by name, in the section of
// its part of the file.
func TestEveryFieldIsDocumented(t *testing.T) {
	sections := map[string]string{}
	for _, s := range strings.Split(readDocs(t), "\n## ")[1:] {
		title, text, _ := strings.Cut(s, "\n")
		sections[title] = text
	}
	var look func(section string, s *schema)
	look = func(section string, s *schema) {
		for _, p := range s.Properties {
			if !strings.Contains(sections[section], "`"+p.name+"`") {
				t.Errorf("section %q does not explain `%s`", section, p.name)
			}
			look(section, p.schema)
		}
		if s.Items != nil {
			look(section, s.Items)
		}
	}
	for _, part := range new(Config).file().schema().Properties {
		switch part.name {
		case "apiVersion", "kind":
		case "rules": // the rules have pages of their own
			look(part.name, part.Properties[0].schema)
		default:
			look(part.name, part.schema)
		}
	}
}
