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
	// Text says why, and what to do; it goes on behind the folder's name.
	Text string
}

// String gives "FOLDER TEXT".
func (n Note) String() string { return n.Folder + " " + n.Text }

func chartNote(chart string) Note {
	return Note{chart, fmt.Sprintf("is a Helm chart, whose templates are no manifests yet; render it: helm template %s | probity check -", chart)}
}

func kustomizationNote(folder string) Note {
	return Note{folder, fmt.Sprintf("is a kustomization, whose patches are no manifests; render it: kustomize build %s | probity check -", folder)}
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
