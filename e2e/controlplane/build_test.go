package controlplane

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// quickProgram is a program of this module that builds within a second or two.
func quickProgram(t *testing.T) program {
	t.Helper()
	m, err := findModule()
	if err != nil {
		t.Fatal(err)
	}
	p := program{name: "bump", pkg: modulePath + "/cmd/bump", module: "golang.org/x/mod", dir: m.dir}
	if p.version, err = m.version(p.module); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestBuildLeavesWhatIsThere(t *testing.T) {
	p := quickProgram(t)
	dir := t.TempDir()
	var first, second bytes.Buffer
	if err := buildInto(t.Context(), dir, []program{p}, newProgress(&first)); err != nil {
		t.Fatal(err)
	}
	built := stat(t, filepath.Join(dir, p.name))
	if err := buildInto(t.Context(), dir, []program{p}, newProgress(&second)); err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(built, stat(t, filepath.Join(dir, p.name))) {
		t.Error("the program was built twice")
	}
	lines := strings.Split(first.String(), "\n")
	if len(lines) != 4 || lines[1] != "Building bump "+p.version+", 1 of 1" || !strings.HasPrefix(lines[2], "Built the control plane in ") {
		t.Errorf("progress of the first build:\n%s", &first)
	}
	if second.Len() != 0 {
		t.Errorf("progress of the second build:\n%s", &second)
	}
}

func TestBuildReplacesAnotherVersionAndABrokenFile(t *testing.T) {
	p := quickProgram(t)
	dir := t.TempDir()
	for _, name := range []string{p.name, p.name + ".unfinished"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half a program"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := buildInto(t.Context(), dir, []program{p}, newProgress(&bytes.Buffer{})); err != nil {
		t.Fatal(err)
	}
	if !p.builtIn(dir) {
		t.Error("the broken file was left")
	}
	other := p
	other.version = "v0.0.1"
	if other.builtIn(dir) {
		t.Errorf("version %s counts as %s", p.version, other.version)
	}
}

func TestBuildAtOnceBuildsOnce(t *testing.T) {
	p := quickProgram(t)
	dir := t.TempDir()
	var builds sync.WaitGroup
	outputs := make([]bytes.Buffer, 3)
	for i := range outputs {
		builds.Go(func() {
			if err := buildInto(t.Context(), dir, []program{p}, newProgress(&outputs[i])); err != nil {
				t.Error(err)
			}
		})
	}
	builds.Wait()
	built := 0
	for i := range outputs {
		built += strings.Count(outputs[i].String(), "Built the control plane")
	}
	if built != 1 {
		t.Errorf("%d of %d built", built, len(outputs))
	}
}

func TestBuildTellsWhatTheCompilerSaid(t *testing.T) {
	p := quickProgram(t)
	p.pkg = modulePath + "/cmd/nothing"
	err := buildInto(t.Context(), t.TempDir(), []program{p}, newProgress(&bytes.Buffer{}))
	if err == nil || !strings.HasPrefix(err.Error(), "build bump: go build "+p.pkg+": exit status 1\n") || !strings.Contains(err.Error(), "cmd/nothing") {
		t.Errorf("error %v", err)
	}
}

func TestBuildEndsWithItsContext(t *testing.T) {
	p := quickProgram(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := buildInto(ctx, dir, []program{p}, newProgress(&bytes.Buffer{}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if p.builtIn(dir) {
		t.Error("it was built all the same")
	}
}

func TestWaitingForAnotherBuildEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	unlock, err := lockFolder(t.Context(), dir, newProgress(&bytes.Buffer{}))
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	_, err = lockFolder(ctx, dir, newProgress(&out))
	if !errors.Is(err, context.Canceled) || out.String() != "Waiting for another process that builds in "+dir+"\n" {
		t.Errorf("error %v, progress %q", err, &out)
	}
}

func TestLinkerFlagsCarryTheKubernetesVersion(t *testing.T) {
	p := program{module: kubernetesModule, version: "v1.37.2"}
	want := "-s -w" +
		" -X k8s.io/component-base/version.gitVersion=v1.37.2" +
		" -X k8s.io/component-base/version.gitMajor=1" +
		" -X k8s.io/component-base/version.gitMinor=37" +
		" -X k8s.io/client-go/pkg/version.gitVersion=v1.37.2" +
		" -X k8s.io/client-go/pkg/version.gitMajor=1" +
		" -X k8s.io/client-go/pkg/version.gitMinor=37"
	if got := p.ldflags(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}
