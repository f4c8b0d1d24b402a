package controlplane

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestANewFolderReplacesThoseOfDeadOwners(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	living, err := newFolder()
	if err != nil {
		t.Fatal(err)
	}
	dead, err := newFolder()
	if err != nil {
		t.Fatal(err)
	}
	// What the kernel does when the owner ends.
	if err := dead.lock.Close(); err != nil {
		t.Fatal(err)
	}
	beingMade := filepath.Join(os.TempDir(), folderPrefix+"being-made")
	if err := os.Mkdir(beingMade, 0o700); err != nil {
		t.Fatal(err)
	}

	next, err := newFolder()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{living.path, beingMade, next.path} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("removed: %v", err)
		}
	}
	if _, err := os.Stat(dead.path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of the dead owner: %v", err)
	}
	for _, f := range []*folder{living, next} {
		if err := f.remove(nil); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(f.path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a removed folder: %v", err)
		}
	}
}
