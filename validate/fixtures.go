package validate

import (
	"bufio"
	"embed"
	"io/fs"
	"path"
	"strings"
)

// testdata/<rule>/fail-*.yaml break a rule and pass-*.yaml do not. They are the
// tests of the rules and the examples of the documentation. Every id has a dash:
// the pattern leaves out what is there for tests alone.
//
//go:embed testdata/*-*
var testdata embed.FS

// Example is a manifest that shows a rule.
type Example struct {
	// Name is the file's name without directory and ending: "fail-equal".
	Name string
	// Fails is set for a manifest that breaks the rule.
	Fails bool
	// About is the prose at the top of the file.
	About string
	// Manifest is the YAML below the header.
	Manifest string
	// Directives are the header's other lines: what the test sets and wants.
	Directives []string
}

// Examples returns the rule's manifests, failing ones first, by name.
func (r *Rule) Examples() ([]Example, error) {
	dir := path.Join("testdata", r.ID)
	entries, err := fs.ReadDir(testdata, dir)
	if err != nil {
		return nil, err
	}
	examples := make([]Example, 0, len(entries))
	for _, e := range entries {
		data, err := fs.ReadFile(testdata, path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		examples = append(examples, parseExample(strings.TrimSuffix(e.Name(), ".yaml"), string(data)))
	}
	return examples, nil
}

// directives are the words that begin a header line for the test; any other
// line is prose.
var directives = []string{"want:", "  ", "kinds:", "set:", "inject:", "action:"}

func parseExample(name, text string) Example {
	e := Example{Name: name, Fails: strings.HasPrefix(name, "fail-")}
	var about []string
	lines := bufio.NewScanner(strings.NewReader(text))
	rest := text
	for lines.Scan() {
		line, comment := strings.CutPrefix(lines.Text(), "#")
		if !comment {
			break
		}
		rest = rest[len(lines.Text())+1:]
		line = strings.TrimPrefix(line, " ")
		if isDirective(line) {
			e.Directives = append(e.Directives, line)
			continue
		}
		about = append(about, line)
	}
	e.About = strings.Join(about, " ")
	e.Manifest = rest
	return e
}

func isDirective(line string) bool {
	for _, d := range directives {
		if strings.HasPrefix(line, d) {
			return true
		}
	}
	return false
}
