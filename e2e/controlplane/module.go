package controlplane

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

const modulePath = "github.com/probity-dev/probity/e2e"

// module is this module as its go.mod tells it. The versions of what Build
// compiles are read there, so that each is written in one place.
type module struct {
	dir      string
	versions map[string]string // by module path
}

// findModule reads the go.mod of this module, in the working directory or in a
// folder above it. Go runs tests in the folder of their package, so they find it.
func findModule() (*module, error) {
	start, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		found, err := readModule(dir)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return found, err
		}
		if dir == filepath.Dir(dir) {
			return nil, fmt.Errorf("no go.mod in %s or above; the control plane is built inside the module %s", start, modulePath)
		}
	}
}

func readModule(dir string) (*module, error) {
	path := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse(path, text, nil)
	if err != nil {
		return nil, err
	}
	if file.Module == nil || file.Module.Mod.Path != modulePath {
		return nil, fmt.Errorf("%s is not the go.mod of %s; the control plane is built inside that module", path, modulePath)
	}
	versions := make(map[string]string, len(file.Require))
	for _, require := range file.Require {
		versions[require.Mod.Path] = require.Mod.Version
	}
	return &module{dir: dir, versions: versions}, nil
}

// version returns the required version of a module, such as v1.37.2.
func (m *module) version(path string) (string, error) {
	version, ok := m.versions[path]
	if !ok {
		return "", fmt.Errorf("go.mod of %s does not require %s", modulePath, path)
	}
	return version, nil
}
