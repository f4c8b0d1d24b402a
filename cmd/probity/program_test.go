package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
)

// run runs a command line outside of a terminal.
func run(t *testing.T, name string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	var out, err bytes.Buffer
	p := program{
		name: name, stdin: strings.NewReader(""), stdout: stream{&out, 0}, stderr: stream{&err, 0},
		getenv: func(string) string { return "" },
	}
	status = p.run(args)
	return out.String(), err.String(), status
}

func TestCalledAs(t *testing.T) {
	tests := map[string]string{
		"/usr/bin/probity":       "probity",
		"./bin/kubectl-probity":  "kubectl probity",
		"kubectl-probity.exe":    "kubectl probity",
		"/tmp/go-build/exe/main": "probity",
	}
	for path, want := range tests {
		if got := calledAs(path); got != want {
			t.Errorf("%s is called %q, want %q", path, got, want)
		}
	}
}

func TestPluginIsCalledAsTheUserCallsIt(t *testing.T) {
	stdout, _, _ := run(t, "kubectl probity", "check", "--help")
	if !strings.Contains(stdout, "\n  kubectl probity check [flags] FILE|DIR|-...\n") {
		t.Errorf("the usage does not say kubectl probity:\n%s", stdout)
	}
	_, stderr, _ := run(t, "kubectl probity", "check")
	if !strings.Contains(stderr, "`kubectl probity check --help`") {
		t.Errorf("the error does not say kubectl probity:\n%s", stderr)
	}
}

func TestExplainListsEveryRule(t *testing.T) {
	stdout, stderr, status := run(t, "probity", "explain")
	if stderr != "" || status != exitClean {
		t.Errorf("status %d, %s", status, stderr)
	}
	for _, r := range validate.Rules() {
		if !strings.Contains(stdout, "\n"+r.ID+" ") || !strings.Contains(stdout, r.Title+"\n") {
			t.Errorf("%s is not listed with its title", r.ID)
		}
	}
}

func TestExplainPrintsTheRulesPage(t *testing.T) {
	rule, _ := validate.FindRule("probe-timeout-period")
	want, err := rule.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	stdout, _, status := run(t, "probity", "explain", rule.ID, "--all")
	if diff := cmp.Diff(want, stdout); diff != "" || status != exitClean {
		t.Errorf("status %d\n%s", status, diff)
	}
}

func TestExplainShowsFewExamplesAndSaysHowManyMoreThereAre(t *testing.T) {
	for _, rule := range validate.Rules() {
		page, others, err := rule.Brief()
		if err != nil {
			t.Fatal(err)
		}
		want := page
		if others > 0 {
			want += fmt.Sprintf("\nMore examples (%d): `probity explain %s --all`.\n", others, rule.ID)
		}
		stdout, _, status := run(t, "probity", "explain", rule.ID)
		if diff := cmp.Diff(want, stdout); diff != "" || status != exitClean {
			t.Errorf("%s: status %d\n%s", rule.ID, status, diff)
		}
	}
}

func TestVersionIsTheLinkersOrSaysThatThereIsNone(t *testing.T) {
	stdout, _, status := run(t, "probity", "version")
	if !strings.HasPrefix(stdout, "probity dev (") || status != exitClean {
		t.Errorf("status %d, %q", status, stdout)
	}
	if got := (build{"v0.1.0", "abc", "go1.26", "linux/amd64"}).String(); got != "probity v0.1.0 (commit abc, go1.26, linux/amd64)" {
		t.Errorf("got %q", got)
	}
}

func TestCompletionOffersRulesFlagsAndFiles(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"rules of explain", []string{"explain", "probe-timeout"}, "probe-timeout-period\tA probe's timeout is shorter than its period\n:4\n"},
		{"no second rule", []string{"explain", "x", ""}, ":4\n"},
		{"profiles", []string{"check", "--profile", ""}, "baseline\nstrict\n:4\n"},
		{"manifests", []string{"check", ""}, "yaml\nyml\njson\n:8\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stdout, _, _ := run(t, "probity", append([]string{"__complete"}, tt.args...)...)
			if diff := cmp.Diff(tt.want, stdout); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// broken is an output that takes nothing.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestOutputThatFailsIsAnError(t *testing.T) {
	var stderr bytes.Buffer
	p := program{
		name: "probity", stdin: strings.NewReader("{}"), stdout: stream{broken{}, 0}, stderr: stream{&stderr, 0},
		getenv: func(string) string { return "" },
	}
	if status := p.run([]string{"check", "-"}); status != exitUnusable || !strings.Contains(stderr.String(), "disk full") {
		t.Errorf("status %d, %q", status, stderr.String())
	}
}

func TestFixWritesInPlaceAndKeepsTheMode(t *testing.T) {
	const before = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: app\n    livenessProbe:\n      tcpSocket: {port: 80}\n"
	file := filepath.Join(t.TempDir(), "a.yaml")
	if err := os.WriteFile(file, []byte(before), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, stderr, status := run(t, "probity", "fix", "--write", file); status != exitClean {
		t.Errorf("status %d, %s", status, stderr)
	}
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := before + "    startupProbe:\n      tcpSocket:\n        port: 80\n      failureThreshold: 30\n      periodSeconds: 10\n"
	if diff := cmp.Diff(want, string(after)); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}
