package main

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// workflow is what the tests read of a GitHub workflow.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Uses        string
		Permissions map[string]string
		Steps       []struct {
			Uses, Run string
			With      map[string]any
		}
	}
}

func workflows(t *testing.T) map[string]workflow {
	t.Helper()
	files, err := filepath.Glob(tree + "/.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal("no workflows", err)
	}
	all := map[string]workflow{}
	for _, file := range files {
		name := filepath.Base(file)
		var w workflow
		if err := yaml.Unmarshal([]byte(read(t, ".github/workflows/"+name)), &w); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = w
	}
	return all
}

// A tag of another repository can be moved to other code; a commit cannot. The
// comment is for those who read it, and for tools that update it.
func TestActionsArePinnedByCommit(t *testing.T) {
	pinned := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	for name := range workflows(t) {
		for _, found := range regexp.MustCompile(`uses: (.*)`).FindAllStringSubmatch(read(t, ".github/workflows/"+name), -1) {
			if !strings.HasPrefix(found[1], "./") && !pinned.MatchString(found[1]) {
				t.Errorf("%s: %s is not pinned as owner/name@commit # v1.2.3", name, found[1])
			}
		}
	}
}

func TestOnlyTheReleaseMayWrite(t *testing.T) {
	for name, w := range workflows(t) {
		if w.Permissions == nil {
			t.Errorf("%s: without permissions it has the repository's default ones", name)
		}
		writes := map[string]string{}
		for job, j := range w.Jobs {
			for what, access := range j.Permissions {
				if access != "read" {
					writes[job+" "+what] = access
				}
			}
		}
		for what, access := range w.Permissions {
			if access != "read" {
				writes["all "+what] = access
			}
		}
		want := ""
		if name == "release.yml" {
			want = "release attestations, release contents, release id-token"
		}
		if got := strings.Join(slices.Sorted(maps.Keys(writes)), ", "); got != want {
			t.Errorf("%s: may write %q, want %q", name, got, want)
		}
	}
}

func TestWorkflowsMakeWhatTheMakefileHas(t *testing.T) {
	makefile := read(t, "Makefile")
	for name, w := range workflows(t) {
		for _, j := range w.Jobs {
			for _, step := range j.Steps {
				words := strings.Fields(step.Run)
				if len(words) > 1 && words[0] == "make" && !strings.Contains(makefile, "\n"+words[1]+":") {
					t.Errorf("%s: there is no %s", name, step.Run)
				}
			}
		}
	}
}

// The image's program and the archives' are to be the same, so the same release of
// Go builds them.
func TestOneReleaseOfGoBuildsEverything(t *testing.T) {
	found := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "go.mod"))
	if found == nil {
		t.Fatal("go.mod names no Go release")
	}
	if !strings.Contains(read(t, "Dockerfile"), " golang:"+found[1]+" AS build") {
		t.Errorf("the Dockerfile does not build with golang:%s", found[1])
	}
	for name, w := range workflows(t) {
		for _, j := range w.Jobs {
			for _, step := range j.Steps {
				if strings.HasPrefix(step.Uses, "actions/setup-go@") && step.With["go-version"] != found[1] {
					t.Errorf("%s: go-version is %v, go.mod wants %s", name, step.With["go-version"], found[1])
				}
			}
		}
	}
}
