package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// copyTree copies the files that name a version.
func copyTree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"manifests/base/kustomization.yaml", "manifests/chart/Chart.yaml", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(tree, name))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestTheTreeNamesOneVersion(t *testing.T) {
	version, err := treeVersion(tree)
	if err != nil {
		t.Fatal(err)
	}
	if !versions.MatchString(version) {
		t.Errorf("the tree names version %q", version)
	}
}

func TestANewVersionIsWrittenInEveryPlace(t *testing.T) {
	root := copyTree(t)
	day := time.Date(2027, 1, 9, 0, 0, 0, 0, time.UTC)
	if err := setVersion(root, "v3.4.5-rc.1", day); err != nil {
		t.Fatal(err)
	}
	if err := sameVersion(root, "v3.4.5-rc.1"); err != nil {
		t.Error(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "manifests/chart/Chart.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	chart, err := assets{version: "v3.4.5-rc.1"}.chartFile("Chart.yaml", got, "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), string(chart)); diff != "" {
		t.Errorf("the packaged chart has another version:\n%s", diff)
	}
}

func TestAVersionIsRefused(t *testing.T) {
	for name, version := range map[string]string{
		"without a v": "1.2.3", "of two numbers": "v1.2", "with a build": "v1.2.3+4", "with nothing": "",
	} {
		t.Run(name, func(t *testing.T) {
			root := copyTree(t)
			before, err := treeVersion(root)
			if err != nil {
				t.Fatal(err)
			}
			if err := setVersion(root, version, time.Time{}); err == nil {
				t.Errorf("%q was taken", version)
			}
			if after, err := treeVersion(root); err != nil || after != before {
				t.Errorf("then the tree names %s, %v", after, err)
			}
		})
	}
}

func TestATagOtherThanTheTreesVersionIsRefused(t *testing.T) {
	if err := sameVersion(copyTree(t), "v99.0.0"); err == nil {
		t.Error("it was taken")
	}
}

func TestWhatIsUnreleasedGetsItsHeadingOnce(t *testing.T) {
	const before = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n"
	const want = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2027-01-09\n\n### Added\n\n- A thing.\n"
	day := time.Date(2027, 1, 9, 0, 0, 0, 0, time.UTC)
	got := before
	for range 2 {
		var err error
		if got, err = released(got, "v1.2.3", day); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}
