package scan

import (
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"
)

// kustomization is what is read of a kustomization.yaml: the files that are
// patches. A patch looks like a manifest and is a part of one.
type kustomization struct {
	Patches []struct {
		Path string `yaml:"path"`
	} `yaml:"patches"`
	PatchesJSON6902 []struct {
		Path string `yaml:"path"`
	} `yaml:"patchesJson6902"`
	// Entries are paths, or patches written out.
	PatchesStrategicMerge []string `yaml:"patchesStrategicMerge"`
}

// patches returns the files in and below a folder that its kustomization says
// are patches. A kustomization that cannot be read says nothing here: it is
// reported as the file that it is.
func patches(folder string) []string {
	var k kustomization
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		file := filepath.Join(folder, name)
		if unreadable(file) != nil {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if yaml.Unmarshal(data, &k) != nil {
			return nil
		}
		break
	}
	var paths []string
	for _, p := range append(k.Patches, k.PatchesJSON6902...) {
		paths = append(paths, p.Path)
	}
	paths = append(paths, k.PatchesStrategicMerge...)
	var found []string
	for _, p := range paths {
		file := filepath.Join(folder, p)
		if info, err := os.Stat(file); p != "" && err == nil && info.Mode().IsRegular() {
			found = append(found, file)
		}
	}
	return found
}

// passPatches keeps the walk from patches of a folder's kustomization.
func (f *files) passPatches(folder string) {
	if f.findPatches(folder) {
		f.noteOnce(kustomizationNote(folder))
	}
}

// findPatches remembers the patches of a folder's kustomization, and reports whether
// there are any.
func (f *files) findPatches(folder string) bool {
	found := patches(folder)
	for _, p := range found {
		f.patch[filepath.Clean(p)] = folder
	}
	return len(found) > 0
}
