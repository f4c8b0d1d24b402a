package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// buildProbity compiles Probity.
func buildProbity(ctx context.Context, repository, binary string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/probity")
	cmd.Dir = repository
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build probity: %w\n%s", err, out)
	}
	return nil
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
