// Package docs runs what the pages tell their readers to type, on a real control
// plane: each sh block must succeed, and each console block must print what the
// page says. Two things differ from a reader's terminal: an `apply -k` goes
// through package install, since no container runs here, and some commands are
// not run at all, which notRun lists.
package docs

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/docs/markdown"
)

var update = flag.Bool("update", false, "write what the commands print into the pages")

// page is a page whose blocks are run, in their order.
type page struct {
	file string
	// files are what the page takes for granted, below the clone.
	files map[string]string
	// setup are commands that were run before the page is read.
	setup []string
	// then is what somebody does after a command and before the next.
	then map[string]string
	// beside are commands, and files, that are meant for the folder of the clone.
	beside []string
	// notRun are the commands that cannot be run here.
	notRun []string
}

func TestPages(t *testing.T) {
	for _, p := range pages {
		t.Run(p.file, func(t *testing.T) {
			s := newSession(t, p)
			file := filepath.Join(s.local.Repository, p.file)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			given := map[int]string{}
			for _, block := range markdown.Parse(string(text)).Blocks {
				s.play(block, given)
			}
			if diff := cmp.Diff(p.notRun, s.notRun); diff != "" {
				t.Errorf("commands that are not run (-listed +found)\n%s", diff)
			}
			compareOrUpdate(t, file, string(text), given)
		})
	}
}

func compareOrUpdate(t *testing.T, file, text string, given map[int]string) {
	t.Helper()
	want := markdown.Rewrite(text, given)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(text, want); diff != "" {
		t.Errorf("(-page +given; `go test ./docs -update` in e2e writes it)\n%s", diff)
	}
}

// play runs a block and keeps what a console block gives.
func (s *session) play(block markdown.Block, given map[int]string) {
	s.t.Helper()
	if name := block.File(); name != "" {
		s.write(name, block.Text)
	}
	switch {
	case block.Language == "sh" && strings.HasPrefix(block.Text, marker):
		for _, statement := range s.statements(block.Text) {
			s.skip(statement)
		}
	case block.Language == "sh":
		for _, statement := range s.statements(block.Text) {
			if slices.Contains(s.page.notRun, statement) {
				s.skip(statement)
				if !says(block.Text, statement) {
					s.t.Errorf("line %d: the page does not say that %q is not run by the tests", block.Line, statement)
				}
				continue
			}
			s.must(statement)
		}
	case block.Language == "console":
		commands := block.Commands()
		for i, c := range commands {
			output, _ := s.run(c.Command) // a refusal is an exit status too
			commands[i].Output = markdown.Wrap(output)
			if next := s.page.then[c.Command]; next != "" {
				s.must(next)
			}
		}
		given[block.Line] = markdown.Console(commands)
	}
}

// marker is what a page says above commands that cannot be run here.
const marker = "# Not run by the tests"

// says reports whether a page says it behind a command. The command that runs
// these tests needs no word.
func says(block, statement string) bool {
	for line := range strings.Lines(block) {
		if command, comment, _ := strings.Cut(line, "#"); strings.TrimSpace(command) == statement {
			return statement == allTests || strings.Contains(comment, "not run by the tests")
		}
	}
	return false
}

// skip notes a command that is not run.
func (s *session) skip(statement string) {
	s.t.Logf("not run: %s", statement)
	s.notRun = append(s.notRun, statement)
}
