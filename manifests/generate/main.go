// Command generate writes the parts of the Helm chart that follow from elsewhere: its
// templates from the kustomize base and components, the schema of its values and the
// table in its README from values.yaml. `make generate` calls it.
//
// A template is the text of a manifest, comments and all, with the edits of edits.go.
// Whoever changes a manifest changes the chart with it.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// handWritten are the templates that no manifest corresponds to.
var handWritten = []string{"NOTES.txt", "_helpers.tpl", "monitoring-dashboard.yaml"}

func write(manifests string) error {
	files, err := generated(os.DirFS(manifests))
	if err != nil {
		return err
	}
	chart := filepath.Join(manifests, "chart")
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(chart, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	stale, err := staleTemplates(chart, files)
	if err != nil {
		return err
	}
	for _, name := range stale {
		if err := os.Remove(filepath.Join(chart, name)); err != nil {
			return err
		}
	}
	return nil
}

// staleTemplates are those whose manifest is gone.
func staleTemplates(chart string, files map[string]string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(chart, "templates"))
	if err != nil {
		return nil, err
	}
	var stale []string
	for _, e := range entries {
		name := "templates/" + e.Name()
		if _, ok := files[name]; !ok && !slices.Contains(handWritten, e.Name()) {
			stale = append(stale, name)
		}
	}
	return stale, nil
}
