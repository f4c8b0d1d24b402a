package main

import (
	"io/fs"
	"os"
	"strings"
	"testing"
)

// longestLine is of a line of prose, in bytes: pages are read in terminals too, at
// night. Tables, code and addresses are as long as they are.
const longestLine = 140

func TestPagesAreReadInATerminal(t *testing.T) {
	tree := os.DirFS("../..")
	pages, err := markdownFiles(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if strings.HasPrefix(page, "docs/rules/") { // a paragraph is a string of the rule
			continue
		}
		text, err := fs.ReadFile(tree, page)
		if err != nil {
			t.Fatal(err)
		}
		code, number := false, 0
		for line := range strings.Lines(string(text)) {
			number++
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				code = !code
			}
			if !code && len(line) > longestLine && !strings.HasPrefix(line, "|") && !strings.Contains(line, "](https://") {
				t.Errorf("%s:%d has %d bytes, over %d", page, number, len(line), longestLine)
			}
		}
	}
}
