package markdown_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/docs/markdown"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       markdown.Page
	}{
		{
			name: "inline links, images, titles and parentheses",
			text: "See [a](b.md), ![p](p.png \"a title\") and [w](https://example.org/a_(b)).\n",
			want: markdown.Page{
				Links:   []markdown.Link{{Target: "b.md", Line: 1}, {Target: "p.png", Line: 1}, {Target: "https://example.org/a_(b)", Line: 1}},
				Anchors: map[string]bool{},
			},
		},
		{
			name: "a reference definition and an autolink",
			text: "\n[a]: c.md#d\n- <https://example.org/>\n",
			want: markdown.Page{
				Links:   []markdown.Link{{Target: "c.md#d", Line: 2}, {Target: "https://example.org/", Line: 3}},
				Anchors: map[string]bool{},
			},
		},
		{
			name: "an empty target is a link too",
			text: "[a]()\n",
			want: markdown.Page{Links: []markdown.Link{{Target: "", Line: 1}}, Anchors: map[string]bool{}},
		},
		{
			name: "code is no link",
			text: "`[a](b.md)` and ``[a](`b`)``\n```go\n[c](d.md)\n# no heading\n```\n",
			want: markdown.Page{
				Blocks:  []markdown.Block{{Language: "go", Text: "[c](d.md)\n# no heading\n", Line: 2}},
				Anchors: map[string]bool{},
			},
		},
		{
			name: "headings as GitHub names them",
			text: "# What `probity check` does, and doesn't\n## Same\n## Same\n### See [rules](r.md)\n<a id=\"own\"></a>\n",
			want: markdown.Page{
				Links: []markdown.Link{{Target: "r.md", Line: 4}},
				Anchors: map[string]bool{
					"what-probity-check-does-and-doesnt": true, "same": true, "same-1": true, "see-rules": true, "own": true,
				},
			},
		},
		{
			name: "a longer fence holds a shorter one, and the last block may be open",
			text: "````md\n```sh\n````\n~~~ yaml title\na: b\n",
			want: markdown.Page{
				Blocks:  []markdown.Block{{Language: "md", Text: "```sh\n", Line: 1}, {Language: "yaml", Text: "a: b\n", Line: 4}},
				Anchors: map[string]bool{},
			},
		},
		{
			name: "a block in a list item keeps its indent",
			text: "1. do\n\n   ```sh\n   ls\n   ```\n",
			want: markdown.Page{Blocks: []markdown.Block{{Language: "sh", Text: "   ls\n", Line: 3}}, Anchors: map[string]bool{}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, markdown.Parse(test.text)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
