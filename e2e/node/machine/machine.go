//go:build node

// Package machine tells what the tests of images and nodes need of this machine.
package machine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A Program is one that a test runs, or a file that it reads, and the Debian package that
// brings it.
type Program struct {
	// Path is a program's name on the PATH, or an absolute path.
	Path string
	// Package is Debian's; other distributions have similar ones.
	Package string
}

// Require returns an error that names all that is missing, so that it is installed in
// one go. Nothing on the machine has been touched then.
func Require(programs ...Program) error {
	var errs []error
	if os.Geteuid() != 0 {
		errs = append(errs, errors.New("this needs root, for images and namespaces: run it as root, with Go on root's PATH"))
	}
	var missing, packages []string
	for _, p := range programs {
		if isThere(p.Path) {
			continue
		}
		missing = append(missing, p.Path)
		if !slices.Contains(packages, p.Package) {
			packages = append(packages, p.Package)
		}
	}
	if len(missing) > 0 {
		errs = append(errs, fmt.Errorf("this needs what is not here: %s; on Debian: apt-get install --no-install-recommends %s",
			strings.Join(missing, ", "), strings.Join(packages, " ")))
	}
	return errors.Join(errs...)
}

func isThere(path string) bool {
	if filepath.IsAbs(path) {
		_, err := os.Stat(path)
		return err == nil
	}
	_, err := exec.LookPath(path)
	return err == nil
}
