package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// claims are links whose text is the name of a test: what a page claims is what the
// test shows.
var claims = regexp.MustCompile("\\[`((?:Test|Fuzz)\\w+)`\\]\\(([^)#]+_test\\.go)\\)")

// TestClaimsHaveTheirTests: a test that a page names is in the file that it links to.
// The threat model has one for each row of its tables.
func TestClaimsHaveTheirTests(t *testing.T) {
	tree := os.DirFS("../..")
	pages, err := markdownFiles(tree)
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, page := range pages {
		text, err := fs.ReadFile(tree, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, claim := range claims.FindAllStringSubmatch(string(text), -1) {
			named++
			file := path.Join(path.Dir(page), claim[2])
			code, err := fs.ReadFile(tree, file)
			if err != nil {
				t.Errorf("%s: %v", page, err)
			} else if !strings.Contains(string(code), "\nfunc "+claim[1]+"(") {
				t.Errorf("%s names %s, which is not in %s", page, claim[1], file)
			}
		}
	}
	if named == 0 {
		t.Error("no page names a test")
	}
	threats, err := fs.ReadFile(tree, "docs/threat-model.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(threats)) {
		row := strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| --") && !strings.HasSuffix(line, "| shown by |\n")
		if row && !claims.MatchString(line) && !strings.Contains(line, "not tested: ") {
			t.Errorf("docs/threat-model.md: a claim names no test, nor why there is none: %s", line)
		}
	}
}
