package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// versions are what the project calls a version: that of Semantic Versioning with
// a v before it, as Go wants it of a tag.
var versions = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// place is where the tree names the version of the next release.
type place struct {
	file string
	// line matches once; its second group is the version, without v where bare.
	line *regexp.Regexp
	bare bool
}

// places are all of them. The program has its version from the linker.
var places = []place{
	{file: "manifests/base/kustomization.yaml", line: regexp.MustCompile(`(?m)^(    newTag: )(\S+)$`)},
	{file: "manifests/chart/Chart.yaml", line: regexp.MustCompile(`(?m)^(version: )(\S+)$`), bare: true},
	{file: "manifests/chart/Chart.yaml", line: regexp.MustCompile(`(?m)^(appVersion: )(\S+)$`)},
}

// read returns the version that stands there, with a v.
func (p place) read(text string) (string, error) {
	found := p.line.FindAllStringSubmatch(text, -1)
	if len(found) != 1 {
		return "", fmt.Errorf("%s: %d lines match %s, want one", p.file, len(found), p.line)
	}
	if p.bare {
		return "v" + found[0][2], nil
	}
	return found[0][2], nil
}

// write returns the text with another version, which has a v.
func (p place) write(text, version string) (string, error) {
	if _, err := p.read(text); err != nil {
		return "", err
	}
	if p.bare {
		version = version[1:]
	}
	return p.line.ReplaceAllString(text, "${1}"+version), nil
}

// treeVersion returns the version that all places name; it is an error when they
// do not name the same.
func treeVersion(root string) (string, error) {
	version := ""
	for _, p := range places {
		text, err := os.ReadFile(filepath.Join(root, p.file))
		if err != nil {
			return "", err
		}
		here, err := p.read(string(text))
		if err != nil {
			return "", err
		}
		if version != "" && here != version {
			return "", fmt.Errorf("%s names %s, but %s names %s: make release-version VERSION=... writes them all", p.file, here, places[0].file, version)
		}
		version = here
	}
	return version, nil
}

// sameVersion reports whether the tree names the version that is released: who
// applies manifests of the tagged commit must get the image of the tag.
func sameVersion(root, version string) error {
	named, err := treeVersion(root)
	if err != nil {
		return err
	}
	if named != version {
		return fmt.Errorf("the tag is %s, but %s and the chart name %s: run make release-version VERSION=%[1]s, commit, and tag that commit", version, places[0].file, named)
	}
	return nil
}

// unreleased is the heading of what the next release changes.
var unreleased = regexp.MustCompile(`(?m)^## \[Unreleased\]$`)

// setVersion writes the version in all places, and gives what is unreleased in the
// changelog its heading.
func setVersion(root, version string, day time.Time) error {
	if !versions.MatchString(version) {
		return fmt.Errorf("version %q is not like v0.2.0 or v0.2.0-rc.1", version)
	}
	for _, p := range places {
		err := edit(filepath.Join(root, p.file), func(text string) (string, error) { return p.write(text, version) })
		if err != nil {
			return err
		}
	}
	return edit(filepath.Join(root, "CHANGELOG.md"), func(text string) (string, error) { return released(text, version, day) })
}

// released moves what is unreleased under a heading of the version. A version that
// has one already keeps it: the command may be run again.
func released(changelog, version string, day time.Time) (string, error) {
	if regexp.MustCompile(`(?m)^## \[` + regexp.QuoteMeta(version[1:]) + `\]`).MatchString(changelog) {
		return changelog, nil
	}
	if len(unreleased.FindAllString(changelog, -1)) != 1 {
		return "", fmt.Errorf("CHANGELOG.md must have the heading ## [Unreleased] once")
	}
	heading := fmt.Sprintf("## [Unreleased]\n\n## [%s] - %s", version[1:], day.Format(time.DateOnly))
	return unreleased.ReplaceAllLiteralString(changelog, heading), nil
}

func edit(file string, change func(string) (string, error)) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed, err := change(string(text))
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(changed), 0o644)
}
