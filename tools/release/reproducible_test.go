package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTheSameSourcesGiveTheSameProgram builds the program as a release does, in two
// folders that have nothing in common but Go's cache: what Go finds there it finds by
// its inputs, so a path or a time among them would show. make verify-reproducible
// takes the cache away too, and compares everything that is released.
func TestTheSameSourcesGiveTheSameProgram(t *testing.T) {
	build := readConfiguration(t).Builds[0]
	args := slices.Concat([]string{"build"}, build.Flags, []string{"-ldflags", strings.Replace(build.Ldflags[0], "{{ .Version }}", "9.8.7", 1)})
	one := program(t, filepath.Join(t.TempDir(), "one"), args, build.Main, append(build.Env, "TZ=Asia/Tokyo", "USER=one")...)
	other := program(t, filepath.Join(t.TempDir(), "another", "and-deeper"), args, build.Main, append(build.Env, "TZ=America/Lima", "USER=other")...)
	if !bytes.Equal(one, other) {
		t.Errorf("two builds differ: %d and %d bytes", len(one), len(other))
	}
	for _, trace := range []string{"/and-deeper", "/one/cmd"} {
		if bytes.Contains(other, []byte(trace)) || bytes.Contains(one, []byte(trace)) {
			t.Errorf("the program names the folder %s that it was built in", trace)
		}
	}
}

// program builds a copy of the sources in a folder.
func program(t *testing.T, folder string, args []string, main string, env ...string) []byte {
	t.Helper()
	copySources(t, folder)
	binary := filepath.Join(t.TempDir(), "probity")
	command := exec.CommandContext(t.Context(), "go", append(args, "-o", binary, main)...)
	command.Dir, command.Env = folder, append(os.Environ(), append(env, "GOWORK=off", "GOFLAGS=")...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
	text, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// copySources copies what the program may be made of.
func copySources(t *testing.T, folder string) {
	t.Helper()
	root := os.DirFS(tree)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			hidden := strings.HasPrefix(name, ".") && name != "."
			if hidden || slices.Contains([]string{"bin", "dist", "docs", "e2e", "manifests", "tools"}, name) {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(folder, name), 0o755)
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, name), text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}
