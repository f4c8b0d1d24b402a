package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// tests are the test programs of packages, with all breakages in them.
type tests struct {
	root string
	// bin holds the programs.
	bin string
	// patience is how long one may take, by folder: one that takes longer is taken
	// for an endless loop.
	patience map[string]time.Duration
}

// buildTests builds the test programs of the folders, with the switched files in
// place of their own. All is built once, in a folder of its own: the programs are
// large, and Go would not remove them from its cache for days.
func buildTests(root, work string, dirs []string, files map[string]switched) (*tests, error) {
	t := &tests{root: root, bin: filepath.Join(work, "bin"), patience: map[string]time.Duration{}}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, s := range files {
		copied := filepath.Join(work, fmt.Sprintf("%d.go", len(overlay.Replace)))
		if err := os.WriteFile(copied, s.text, 0o600); err != nil {
			return nil, err
		}
		overlay.Replace[filepath.Join(root, filepath.FromSlash(name))] = copied
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		return nil, err
	}
	list := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(list, data, 0o600); err != nil {
		return nil, err
	}
	args := []string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", list, "-o", t.bin + string(filepath.Separator)}
	for _, dir := range dirs {
		args = append(args, "./"+dir)
	}
	cmd := exec.Command("go", args...) //nolint:gosec // with files of its own making
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go test -c: %w\n%s", err, out)
	}
	return t, nil
}

func (t *tests) program(dir string) string { return filepath.Join(t.bin, path.Base(dir)+".test") }

// settle runs all tests with nothing broken: they must pass, and it shows how long
// they take.
func (t *tests) settle(ctx context.Context, dirs []string) error {
	for _, dir := range dirs {
		if _, err := os.Stat(t.program(dir)); errors.Is(err, os.ErrNotExist) {
			continue // a package without tests
		}
		t.patience[dir] = 10 * time.Minute
		start := time.Now()
		out, err := t.command(ctx, dir, "", 0).CombinedOutput()
		if err != nil {
			return fmt.Errorf("the tests of %s fail with nothing broken: %w\n%s", dir, err, out)
		}
		t.patience[dir] = 20*time.Second + 5*time.Since(start)
	}
	return nil
}

// command runs the tests of a folder with a breakage, or with none for id 0.
func (t *tests) command(ctx context.Context, dir, run string, id int) *exec.Cmd {
	args := []string{"-test.failfast", "-test.run=" + run, "-test.timeout=" + t.patience[dir].String()}
	cmd := exec.CommandContext(ctx, t.program(dir), args...) //nolint:gosec // a program that it has built
	cmd.Dir = filepath.Join(t.root, filepath.FromSlash(dir))
	cmd.Env = append(os.Environ(), variable+"="+strconv.Itoa(id))
	return cmd
}

// step is a part of the tests that ought to catch a breakage.
type step struct{ dir, run string }

// manifests are the quick tests that judge whole manifests.
const manifests = "^(TestFixtures|TestCases)$"

// stepsOf gives them, the nearest and quickest first: a rule is caught by its own
// fixtures, by those of others, or by any test of its package.
func stepsOf(u unit) []step {
	judge := step{"validate", manifests}
	switch {
	case u.rule:
		return []step{{u.dir(), "^TestFixtures$/^" + regexp.QuoteMeta(u.name) + "$"}, judge, {u.dir(), ""}}
	case u.dir() == judge.dir:
		return []step{judge, {u.dir(), ""}, {"mutate", ""}}
	default:
		return []step{{u.dir(), ""}, judge}
	}
}

// dirsOf gives the folders of the steps, each once.
func dirsOf(units []unit) []string {
	var dirs []string
	for _, u := range units {
		for _, s := range stepsOf(u) {
			dirs = append(dirs, s.dir)
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

var failed = regexp.MustCompile(`--- FAIL: (\S+)`)

// caught says which test fails with the breakage; it is empty when none does.
func (t *tests) caught(ctx context.Context, u unit, b *breakage) (string, error) {
	for _, s := range stepsOf(u) {
		if t.patience[s.dir] == 0 {
			continue
		}
		out, err := t.command(ctx, s.dir, s.run, b.id).CombinedOutput()
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		var exit *exec.ExitError
		switch {
		case err == nil:
			continue
		case !errors.As(err, &exit):
			return "", err
		}
		if m := failed.FindSubmatch(out); m != nil {
			return string(m[1]), nil
		}
		return "the tests of " + s.dir, nil // a panic before any test, or the timeout
	}
	return "", nil
}
