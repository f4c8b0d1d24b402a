package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/docs/markdown"
)

func TestCommands(t *testing.T) {
	text := "lost\n$ one -a\nout\n\nmore\n$ two\n"
	want := []markdown.Command{{Command: "one -a", Output: "out\n\nmore\n"}, {Command: "two"}}
	if diff := cmp.Diff(want, markdown.Block{Language: "console", Text: text}.Commands()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := (markdown.Block{Language: "sh", Text: text}).Commands(); got != nil {
		t.Errorf("a block of another language gives %v", got)
	}
}

func TestFile(t *testing.T) {
	for _, test := range []struct{ name, language, text, want string }{
		{"a comment with a name", "yaml", "# deploy/orders.yaml\nkind: Pod\n", "deploy/orders.yaml"},
		{"a comment with more", "yaml", "# as in orders.yaml\nkind: Pod\n", ""},
		{"no comment", "yaml", "kind: Pod\n", ""},
		{"another language", "sh", "# orders.yaml\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := (markdown.Block{Language: test.language, Text: test.text}).File(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestRewrite(t *testing.T) {
	page := "a\n```sh\nls\n```\nb\n```console\n$ one\nold\n```\n```console\n$ two\n```\nc\n"
	want := "a\n```sh\nls\n```\nb\n```console\n$ one\nnew\nmore\n```\n```console\n$ two\n```\nc\n"
	console := markdown.Console([]markdown.Command{{Command: "one", Output: "new\nmore\n"}})
	if diff := cmp.Diff(want, markdown.Rewrite(page, map[int]string{6: console})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWrap(t *testing.T) {
	word := strings.Repeat("x", 50)
	for _, test := range []struct{ name, output, want string }{
		{"short lines stay", "a b\nc\n", "a b\nc\n"},
		{"a long line is broken at the last blank that fits", "a " + word + " " + word + " b\nc\n", "a " + word + "\n" + word + " b\nc\n"},
		{"an indent is kept", "  a " + word + " " + word + "\n", "  a " + word + "\n  " + word + "\n"},
		{"an indent does not count as a place to break", "  " + word + word + "\n", "  " + word + word + "\n"},
		{"a table stays", word + "  " + word + " a\n", word + "  " + word + " a\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, markdown.Wrap(test.output)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
