// Command generate writes docs/rules from the rules: a page for each and an
// index. `make generate` calls it.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/probity-dev/probity/validate"
)

//go:generate go run . ../rules

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
