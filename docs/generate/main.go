// Command generate writes what the documentation takes from the code: docs/rules,
// a page for each rule and an index, the schema of the configuration file, and the
// list of the metrics.
// `make generate` calls it.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
)

//go:generate go run . ..

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate DIR")
		os.Exit(2)
	}
	dir := os.Args[1]
	if err := errors.Join(write(filepath.Join(dir, "rules")), writeSchema(dir), writeMetrics(dir)); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func writeSchema(dir string) error {
	schema, err := config.Schema()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "configuration.schema.json"), schema, 0o644)
}

func writeMetrics(dir string) error {
	page, err := metricsPage(filepath.Join(dir, ".."))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "metrics.md"), []byte(page), 0o644)
}

// pages returns the files of docs/rules by name.
func pages() (map[string]string, error) {
	all := map[string]string{"README.md": generated + validate.RuleIndex()}
	for _, r := range validate.Rules() {
		page, err := r.Markdown()
		if err != nil {
			return nil, err
		}
		all[r.ID+".md"] = generated + page
	}
	return all, nil
}

const generated = "<!-- Made by `make generate` from the rules in validate/; edit them instead. -->\n\n"

// write makes the folder hold the pages and nothing else.
func write(dir string) error {
	all, err := pages()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if _, ok := all[filepath.Base(name)]; ok {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for name, page := range all {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(page), 0o644); err != nil {
			return err
		}
	}
	return nil
}
