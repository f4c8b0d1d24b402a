package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/docs/markdown"
)

// TestManifestsOfTheFixPages: what docs/fix tells people to write has no finding
// in the strictest profile.
func TestManifestsOfTheFixPages(t *testing.T) {
	pages, err := filepath.Glob("../../docs/fix/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("no docs/fix/*.md", err)
	}
	for _, file := range pages {
		t.Run(filepath.Base(file), func(t *testing.T) {
			manifests := 0
			for _, block := range readPage(t, file).Blocks {
				if block.Language != "yaml" || !strings.Contains(block.Text, "\nkind: ") {
					continue
				}
				manifests++
				stdout, stderr, status := runIn(t, block.Text, "check", "--profile", "strict", "-o", "json", "-")
				if status != exitClean || !strings.Contains(stdout, `"warned": 0`) {
					t.Errorf("%s:%d: exit status %d\n%s%s", file, block.Line, status, stdout, stderr)
				}
			}
			if manifests == 0 {
				t.Error("the page shows no manifest")
			}
		})
	}
}

// TestCommandsOfTheDocumentation runs each `$ probity ...` of a console block and
// compares what it prints with what the page says. A yaml block is a file when
// its first line is a comment with nothing but the file's name. Pages that need a
// cluster are run by e2e/docs.
func TestCommandsOfTheDocumentation(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("no docs/*.md", err)
	}
	for _, file := range pages {
		t.Run(filepath.Base(file), func(t *testing.T) {
			file, err := filepath.Abs(file) // the commands run elsewhere
			if err != nil {
				t.Fatal(err)
			}
			page := readPage(t, file)
			if slices.ContainsFunc(page.Blocks, needsCluster) {
				return
			}
			t.Chdir(t.TempDir())
			given := map[int]string{}
			for _, block := range page.Blocks {
				if name := block.File(); name != "" {
					writeFile(t, name, block.Text)
				}
				commands := block.Commands()
				for i, c := range commands {
					args, ok := strings.CutPrefix(c.Command, "probity ")
					if !ok {
						t.Fatalf("%s:%d: %s: only `probity ...` is run here", file, block.Line, c.Command)
					}
					stdout, stderr, _ := runIn(t, "", strings.Fields(args)...)
					commands[i].Output = markdown.Wrap(stdout + stderr)
					given[block.Line] = markdown.Console(commands)
				}
			}
			compareOrUpdate(t, file, given)
		})
	}
}

func needsCluster(block markdown.Block) bool { return strings.Contains(block.Text, "kubectl ") }

// compareOrUpdate compares console blocks of a page with what was given.
func compareOrUpdate(t *testing.T, file string, given map[int]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := markdown.Rewrite(string(text), given)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text), want); diff != "" {
		t.Errorf("%s (-page +given; `go test ./cmd/probity -run Documentation -update` writes it)\n%s", file, diff)
	}
}

func readPage(t *testing.T, file string) markdown.Page {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return markdown.Parse(string(text))
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func runIn(t *testing.T, stdin string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, errOut bytes.Buffer
	p := program{
		name:   "probity",
		stdin:  strings.NewReader(stdin),
		stdout: stream{Writer: &out}, stderr: stream{Writer: &errOut},
		getenv: func(string) string { return "" },
	}
	status = p.run(args)
	return out.String(), errOut.String(), status
}
