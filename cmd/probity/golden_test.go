package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the commands give into testdata")

// TestGolden runs the command of every testdata/golden/*.txt. Such a file is prose, then
// "run: ARGS" and maybe "columns: N", "env: NAME=VALUE", "stdin: FILE" and "cluster:
// FILE", the objects of the cluster that the file kubeconfig is made for; then
// files, each below a line "-- NAME --", then what the command gives, each part
// below a line "== stdout ==", "== stderr ==" or "== status ==".
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata/golden/*.txt", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			c := parseCase(t, string(data))
			name, err := filepath.Abs(name) // the command runs elsewhere
			if err != nil {
				t.Fatal(err)
			}
			got := c.run(t)
			if *update {
				if err := os.WriteFile(name, []byte(c.input+got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got; `go test ./cmd/probity -update` writes it)\n%s", diff)
			}
		})
	}
}

// goldenCase is one file of testdata.
type goldenCase struct {
	input, want string
	args        []string
	env         map[string]string
	columns     int
	stdin       string
	cluster     string
	files       map[string]string
}

func parseCase(t *testing.T, text string) goldenCase {
	t.Helper()
	c := goldenCase{env: map[string]string{}, files: map[string]string{}, input: text}
	if i := strings.Index(text, "== "); i >= 0 && (i == 0 || text[i-1] == '\n') {
		c.input, c.want = text[:i], text[i:]
	}
	name := ""
	for line := range strings.Lines(c.input) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(line, "-- ") && strings.HasSuffix(trimmed, " --") {
			name = strings.TrimSpace(strings.Trim(trimmed, "-"))
			c.files[name] = ""
			continue
		}
		if name != "" {
			c.files[name] += line
			continue
		}
		key, value, _ := strings.Cut(trimmed, ": ")
		switch key {
		case "run":
			c.args = strings.Fields(value)
		case "columns":
			columns, err := strconv.Atoi(value)
			if err != nil {
				t.Fatal(err)
			}
			c.columns = columns
		case "env":
			k, v, _ := strings.Cut(value, "=")
			c.env[k] = v
		case "stdin":
			c.stdin = value
		case "cluster":
			c.cluster = value
		}
	}
	if c.args == nil {
		t.Fatal("the file has no line run: ARGS")
	}
	return c
}

// run runs the command in a folder with the files.
func (c goldenCase) run(t *testing.T) string {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, data := range c.files {
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c.cluster != "" {
		serveObjects(t, c.files[c.cluster])
	}
	var stdout, stderr bytes.Buffer
	p := program{
		name:   "probity",
		stdin:  strings.NewReader(c.files[c.stdin]),
		stdout: stream{&stdout, c.columns},
		stderr: stream{&stderr, c.columns},
		getenv: func(name string) string { return c.env[name] },
		now:    func() time.Time { return time.Date(2027, 1, 10, 12, 0, 0, 0, time.UTC) },
	}
	status := p.run(c.args)
	got := ""
	for _, part := range []struct{ name, text string }{
		{"stdout", stdout.String()}, {"stderr", stderr.String()}, {"status", fmt.Sprintln(status)},
	} {
		if part.text == "" {
			continue
		}
		if !strings.HasSuffix(part.text, "\n") {
			part.text += "\n(no line end)\n"
		}
		// Colour is shown as <1;31>, for people who read the file.
		part.text = strings.NewReplacer("\x1b[0m", "<>", "\x1b[", "<ESC ").Replace(part.text)
		got += "== " + part.name + " ==\n" + part.text
	}
	return got
}
