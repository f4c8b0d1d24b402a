package config

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// TestSchemaIsUpToDate compares the shipped schema with what Parse takes.
func TestSchemaIsUpToDate(t *testing.T) {
	want, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/configuration.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the file is not what the code says; run `make generate` (-code +file)\n%s", diff)
	}
}

// TestSchemaAgreesWithParse holds the schema to what Parse says of the same
// files.
func TestSchemaAgreesWithParse(t *testing.T) {
	s := decodedSchema(t)
	for name, text := range map[string]string{
		"everything": everything, "the head only": header,
		"fields without content": header + "defaults:\nrules:\n  liveness-window:\nkinds:\nexemptions:\n  byAnnotation:\n  workloads:\n",
	} {
		if problems := check(s, decodedYAML(t, text), ""); len(problems) > 0 {
			t.Errorf("%s is legal; the schema says: %v", name, problems)
		}
	}
	for name, m := range mistakes {
		t.Run(name, func(t *testing.T) {
			if m.beyond {
				return // no schema can say it
			}
			if len(check(s, decodedYAML(t, header+m.text), "")) == 0 {
				t.Error("the schema has nothing against it")
			}
		})
	}
}

// TestEveryFieldIsExplained fails on a field that an editor cannot explain.
func TestEveryFieldIsExplained(t *testing.T) {
	var walk func(path string, s *schema)
	walk = func(path string, s *schema) {
		for _, p := range s.Properties {
			at := path + "." + p.name
			if !strings.HasSuffix(p.Description, ".") {
				t.Errorf("%s is explained by %q; it needs a sentence", at, p.Description)
			}
			walk(at, p.schema)
		}
		if s.Items != nil {
			walk(path+"[]", s.Items)
		}
	}
	walk("", new(Config).file().schema())
}

func decodedSchema(t *testing.T) map[string]any {
	t.Helper()
	data, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// decodedYAML gives YAML as a schema sees it: with numbers of one type, and
// dates as the text that they are in YAML 1.2.
func decodedYAML(t *testing.T, text string) any {
	t.Helper()
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	var dates func(*yaml.Node)
	dates = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && n.ShortTag() == tagDate {
			n.Tag = tagString
		}
		for _, c := range n.Content {
			dates(c)
		}
	}
	dates(&root)
	var v any
	if err := root.Decode(&v); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var same any
	if err := json.Unmarshal(data, &same); err != nil {
		t.Fatal(err)
	}
	return same
}

// check validates by the keywords that Schema uses, and fails on any other.
func check(s map[string]any, v any, path string) (problems []string) {
	say := func(format string, args ...any) { problems = append(problems, path+": "+fmt.Sprintf(format, args...)) }
	for keyword, want := range s {
		switch keyword {
		case "$schema", "title", "description", "format":
		case "type":
			if !isType(want, v) {
				say("is no %v", want)
			}
		case "const":
			if v != want {
				say("is not %v", want)
			}
		case "enum":
			if !slices.Contains(want.([]any), v) {
				say("is none of %v", want)
			}
		case "pattern":
			if text, ok := v.(string); ok && !regexp.MustCompile(want.(string)).MatchString(text) {
				say("does not match %v", want)
			}
		case "minimum":
			if n, ok := v.(float64); ok && n < want.(float64) {
				say("is under %v", want)
			}
		case "maximum":
			if n, ok := v.(float64); ok && n > want.(float64) {
				say("is over %v", want)
			}
		case "anyOf":
			if !slices.ContainsFunc(want.([]any), func(one any) bool { return len(check(one.(map[string]any), v, path)) == 0 }) {
				say("is none of the forms")
			}
		case "items", "minItems":
			list, _ := v.([]any)
			if keyword == "minItems" {
				if v != nil && float64(len(list)) < want.(float64) {
					say("is empty")
				}
				continue
			}
			for i, item := range list {
				problems = append(problems, check(want.(map[string]any), item, fmt.Sprintf("%s[%d]", path, i))...)
			}
		case "properties", "required", "minProperties", "propertyNames", "additionalProperties":
			if fields, ok := v.(map[string]any); ok {
				problems = append(problems, checkFields(s, keyword, fields, path)...)
			}
		default:
			say("the test does not know the keyword %s", keyword)
		}
	}
	return problems
}

func checkFields(s map[string]any, keyword string, fields map[string]any, path string) (problems []string) {
	known, _ := s["properties"].(map[string]any)
	switch want := s[keyword].(type) {
	case float64: // minProperties
		if float64(len(fields)) < want {
			problems = append(problems, path+": is empty")
		}
	case []any: // required
		for _, name := range want {
			if _, ok := fields[name.(string)]; !ok {
				problems = append(problems, fmt.Sprintf("%s: lacks %v", path, name))
			}
		}
	case bool: // additionalProperties
		for name := range fields {
			if known[name] == nil {
				problems = append(problems, path+": must not have "+name)
			}
		}
	case map[string]any:
		for name, v := range fields {
			switch sub, _ := want[name].(map[string]any); {
			case keyword == "properties" && sub != nil:
				problems = append(problems, check(sub, v, path+"."+name)...)
			case keyword == "propertyNames":
				problems = append(problems, check(want, name, path)...)
			case keyword == "additionalProperties":
				problems = append(problems, check(want, v, path+"."+name)...)
			}
		}
	}
	return problems
}

func isType(want, v any) bool {
	if list, ok := want.([]any); ok {
		return slices.ContainsFunc(list, func(one any) bool { return isType(one, v) })
	}
	switch v := v.(type) {
	case nil:
		return want == "null"
	case bool:
		return want == "boolean"
	case string:
		return want == "string"
	case float64:
		return want == "integer" && v == float64(int64(v))
	case []any:
		return want == "array"
	default:
		return want == "object"
	}
}
