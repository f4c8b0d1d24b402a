package controlplane

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

const (
	modulePath = "github.com/probity-dev/probity/e2e"

	// versionVariable chooses the Kubernetes of Build, by a folder of this module's
	// kubernetes/, such as v1.34. Without it the version of this module is built.
	versionVariable = "PROBITY_KUBERNETES"
	versionsFolder  = "kubernetes"
)

// module is a module of Go as its go.mod tells it. The versions of what Build
// compiles are read there, so that each is written in one place.
type module struct {
	path     string
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
		found, err := readModule(dir, modulePath)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return found, err
		}
		if dir == filepath.Dir(dir) {
			return nil, fmt.Errorf("no go.mod in %s or above; the control plane is built inside the module %s", start, modulePath)
		}
	}
}

// kubernetes returns the module that the programs of Kubernetes are built in:
// this one, or that of an older version if the environment asks for it.
func (m *module) kubernetes() (*module, error) {
	version := os.Getenv(versionVariable)
	if version == "" {
		return m, nil
	}
	older, err := readModule(filepath.Join(m.dir, versionsFolder, version), modulePath+"/"+versionsFolder+"/"+version)
	if !errors.Is(err, fs.ErrNotExist) {
		return older, err
	}
	return nil, fmt.Errorf("%s=%s: no such Kubernetes version; legal are %s, and nothing for the newest",
		versionVariable, version, strings.Join(m.olderVersions(), ", "))
}

func (m *module) olderVersions() []string {
	folders, err := os.ReadDir(filepath.Join(m.dir, versionsFolder))
	if err != nil {
		return nil // Then there are none.
	}
	versions := make([]string, len(folders))
	for i, folder := range folders {
		versions[i] = folder.Name()
	}
	return versions
}

func readModule(dir, want string) (*module, error) {
	path := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse(path, text, nil)
	if err != nil {
		return nil, err
	}
	if file.Module == nil || file.Module.Mod.Path != want {
		return nil, fmt.Errorf("%s is not the go.mod of %s; the control plane is built inside that module", path, want)
	}
	versions := make(map[string]string, len(file.Require))
	for _, require := range file.Require {
		versions[require.Mod.Path] = require.Mod.Version
	}
	return &module{path: want, dir: dir, versions: versions}, nil
}

// version returns the required version of a module, such as v1.37.2.
func (m *module) version(path string) (string, error) {
	version, ok := m.versions[path]
	if !ok {
		return "", fmt.Errorf("go.mod of %s does not require %s", m.path, path)
	}
	return version, nil
}
