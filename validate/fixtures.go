package validate

import (
	"bufio"
	"embed"
	"io/fs"
	"path"
	"slices"
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

// plainest returns the plainest example that the profile baseline denies, the one that it
// does not, and the one that keeps the rule.
func plainest(examples []Example) []Example {
	const kinds = 3
	var found [kinds]*Example
	for i := range examples {
		e := &examples[i]
		kind := 0
		switch {
		case !e.Fails:
			kind = 2
		case !e.denied():
			kind = 1
		}
		if found[kind] == nil || e.plainer(found[kind]) {
			found[kind] = e
		}
	}
	plain := make([]Example, 0, kinds)
	for _, e := range found {
		if e != nil {
			plain = append(plain, *e)
		}
	}
	return plain
}

// denied reports whether the profile baseline denies the example.
func (e *Example) denied() bool {
	return slices.ContainsFunc(e.Directives, func(d string) bool { return strings.HasPrefix(d, "want: deny/") })
}

// plainer prefers the less odd example, then the shorter one.
func (e *Example) plainer(than *Example) bool {
	if own, other := e.oddness(), than.oddness(); own != other {
		return own < other
	}
	return strings.Count(e.Manifest, "\n") < strings.Count(than.Manifest, "\n")
}

// oddness counts what most manifests are without: a setting, an annotation, another
// kind than Deployment.
func (e *Example) oddness() int {
	odd := len(e.settings())
	if strings.Contains(e.Manifest, "annotations:") {
		odd++
	}
	if !strings.Contains(e.Manifest, "kind: Deployment\n") {
		odd++
	}
	return odd
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
