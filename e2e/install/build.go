package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/probity-dev/probity/e2e/controlplane"
)

// Build compiles a program of the repository, from a module's folder and a package of
// it, and puts a copy with that name beside Probity's. It returns the copy's path.
func (l *Local) Build(ctx context.Context, name, module, pkg string) (program string, err error) {
	// Go leaves alone what is up to date there, and links anew what is in a new place,
	// which takes as long as starting a control plane. The tests run a copy: another run
	// may build another one later, and only then.
	folder := filepath.Join(l.Repository, "bin", "e2e")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	unlock, err := controlplane.LockFolder(ctx, folder, os.Stderr)
	if err != nil {
		return "", err
	}
	defer unlock()
	kept := filepath.Join(folder, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", kept, pkg)
	cmd.Dir, cmd.Env = filepath.Join(l.Repository, module), append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	program = filepath.Join(l.programs, name)
	return program, copyProgram(kept, program)
}

func copyProgram(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

// findRepository returns the root of the repository, which holds manifests/ and
// cmd/: the nearest folder above this one with that layout.
func findRepository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "manifests", "base")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("no folder above this one holds manifests/base")
}
