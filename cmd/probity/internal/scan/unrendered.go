package scan

import (
	"fmt"
	"os"
	"path/filepath"
)

// Note is what the user should know of a folder that is not read as it stands.
type Note struct {
	// Folder is a Helm chart or a kustomization.
	Folder string
	// is says what it is, and render what makes manifests of it.
	is, render string
}

// Text says why, and how a command of Probity gets to read what is rendered. It goes
// on behind the folder's name.
func (n Note) Text(command string) string {
	return fmt.Sprintf("is %s; render it: %s %s | probity %s -", n.is, n.render, n.Folder, command)
}

func chartNote(chart string) Note {
	return Note{chart, "a Helm chart, whose templates are no manifests yet", "helm template"}
}

func kustomizationNote(folder string) Note {
	return Note{folder, "a kustomization, whose patches are no manifests", "kustomize build"}
}

// noteOnce tells a note, unless it has just been told of another file.
func (f *files) noteOnce(n Note) {
	if !f.noted[n] {
		f.noted[n] = true
		f.note(n)
	}
}

// isChart reports whether a folder is a Helm chart.
func isChart(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "Chart.yaml"))
	return err == nil
}

// asFound takes a file that is named, and treats it as the walk of a folder would
// have: a template of a chart is passed over, and so is a patch of a kustomization in
// a folder above it.
func (f *files) asFound(name string) {
	for folder, below := filepath.Dir(name), ""; folder != below; folder, below = filepath.Dir(folder), folder {
		if filepath.Base(folder) == "templates" && isChart(filepath.Dir(folder)) {
			f.noteOnce(chartNote(filepath.Dir(folder)))
			return
		}
		if !f.searched[folder] {
			f.searched[folder] = true
			f.findPatches(folder)
		}
	}
	f.give(file{name: name, found: true})
}
