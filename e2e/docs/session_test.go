package docs

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/probity-dev/probity/e2e/install"
)

// patience bounds each command; a build on a cold cache takes longest.
const patience = 15 * time.Minute

// session is a reader's terminal in a fresh clone, with an administrator's
// kubeconfig for a fresh control plane.
type session struct {
	t      *testing.T
	page   page
	local  *install.Local
	clone  string
	notRun []string
}

func newSession(t *testing.T, p page) *session {
	t.Helper()
	local, err := install.StartEmpty(t.Context(), 2, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := local.Stop(); err != nil {
			t.Error(err)
		}
	})
	s := &session{t: t, page: p, local: local, clone: filepath.Join(t.TempDir(), "probity")}
	if err := copyTree(local.Repository, s.clone); err != nil {
		t.Fatal(err)
	}
	for name, text := range p.files {
		s.write(name, text)
	}
	for _, command := range p.setup {
		s.must(command)
	}
	return s
}

// copyTree copies what a clone would hold: nothing hidden but files, nothing built.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if d.IsDir() {
			if slices.Contains([]string{".git", "bin", "dist"}, d.Name()) {
				return fs.SkipDir
			}
			return os.MkdirAll(target, 0o750)
		}
		if !d.Type().IsRegular() {
			return nil // .git is a file in a work tree, a link is none of ours
		}
		info, err := d.Info()
		if err != nil || d.Name() == ".git" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, info.Mode().Perm())
	})
}

// write writes a file below the clone.
func (s *session) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.folder(name), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// folder is where a command is run, or a file is written.
func (s *session) folder(what string) string {
	if slices.Contains(s.page.beside, what) {
		return filepath.Dir(s.clone)
	}
	return s.clone
}

// statements splits a block into its commands as a shell does.
func (s *session) statements(text string) []string {
	s.t.Helper()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		s.t.Fatalf("%v in\n%s", err, text)
	}
	var statements []string
	for _, statement := range file.Stmts {
		var out bytes.Buffer
		if err := syntax.NewPrinter().Print(&out, statement); err != nil {
			s.t.Fatal(err)
		}
		statements = append(statements, strings.TrimSpace(out.String()))
	}
	return statements
}

// must is run that may not fail.
func (s *session) must(command string) {
	s.t.Helper()
	if out, err := s.run(command); err != nil {
		s.t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// run runs a command in the clone and returns what a terminal would show.
func (s *session) run(command string) (string, error) {
	s.t.Helper()
	if folder, ok := strings.CutPrefix(command, "kubectl apply -k "); ok {
		return "", s.install(filepath.Join(s.folder(command), folder))
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-o", "errexit", "-o", "pipefail", "-c", command)
	cmd.Dir = s.folder(command)
	cmd.Env = append(os.Environ(),
		"KUBECONFIG="+s.local.Admin,
		"KUBECACHEDIR="+filepath.Join(s.local.Dir(), "kubectl-cache"),
		"KUBERC=off",
		"PATH="+strings.Join([]string{filepath.Dir(s.local.KubectlPath()), filepath.Dir(s.local.Binary), os.Getenv("PATH")}, string(os.PathListSeparator)),
	)
	out, err := cmd.CombinedOutput()
	return inNewestWords.Replace(string(out)), err
}

// inNewestWords puts what older versions of kubectl describe as the newest does, whose
// words the pages show.
var inNewestWords = strings.NewReplacer("#success=", "successThreshold=", "#failure=", "failureThreshold=")

// install does what `kubectl apply -k` does, as far as that can be done here: the
// objects are applied, the program of the Deployment runs beside the cluster,
// and the Deployment itself has pods in which no container runs.
func (s *session) install(kustomization string) error {
	s.t.Helper()
	if s.local.Probity != nil { // applied again, and rolled out
		if err := s.local.Probity.Stop(); err != nil {
			return err
		}
	}
	var err error
	s.local.Probity, err = s.local.Install(s.t.Context(), install.Options{Manifests: kustomization, Args: []string{"--shutdown-delay=0s"}})
	if err != nil {
		return err
	}
	if out, err := s.run(`kubectl apply --server-side -l app.kubernetes.io/name=probity -f <(kubectl kustomize "` + kustomization + `")`); err != nil {
		return errors.Join(err, errors.New(out))
	}
	return nil
}
