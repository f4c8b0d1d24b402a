package main

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestCheck(t *testing.T) {
	tree := fstest.MapFS{
		"README.md": {Data: []byte(`# Top
[good](docs/a.md#one-more), [here](#top), [file](main.go), [line](main.go#L3), [folder](docs)
[gone](docs/b.md)
[no heading](docs/a.md#two)
[not here](#bottom)
[root](/docs/a.md)
[code](main.go#top)
[plain](http://example.org)
[host](https://example)
[fine](https://example.org/x#y) [mail](mailto:a@example.org)
[nobody](mailto:a)
[]()
`)},
		"docs/a.md":            {Data: []byte("## One more\n[up](../README.md)\n")},
		"main.go":              {Data: []byte("package main\n")},
		"bin/x.md":             {Data: []byte("[built](gone.md)\n")},
		"docs/testdata/bad.md": {Data: []byte("[data](gone.md)\n")},
		".hidden/x.md":         {Data: []byte("[hidden](gone.md)\n")},
	}
	pages, problems, err := check(tree)
	if err != nil || pages != 2 {
		t.Fatalf("%d pages, %v", pages, err)
	}
	want := []string{
		`README.md:3: link "docs/b.md" leads to docs/b.md, which does not exist`,
		`README.md:4: link "docs/a.md#two" leads to no heading of docs/a.md`,
		`README.md:5: link "#bottom" leads to no heading of README.md`,
		`README.md:6: link "/docs/a.md" is absolute; write it relative to its page`,
		`README.md:7: link "main.go#top" has a fragment, but main.go has no headings`,
		`README.md:8: link "http://example.org" must be https`,
		`README.md:9: link "https://example" names no host`,
		`README.md:11: link "mailto:a" names no mailbox`,
		`README.md:12: link "" leads nowhere`,
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestRepository checks all pages of the repository, as `make verify` does.
func TestRepository(t *testing.T) {
	_, problems, err := check(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}
