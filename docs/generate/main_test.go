package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPagesAreUpToDate compares docs/rules with what the rules say.
func TestPagesAreUpToDate(t *testing.T) {
	want, err := pages()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("../rules/*.md")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.Base(name)] = string(data)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/rules is not what the rules say; run `make generate` (-rules +docs)\n%s", diff)
	}
}

func TestWriteRemovesThePageOfARuleThatIsGone(t *testing.T) {
	dir := t.TempDir()
	stale := filepath.Join(dir, "gone.md")
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Errorf("gone.md is still there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "README.md")); err != nil {
		t.Error(err)
	}
}
