package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

const integrationsPage = "../../docs/ci.md"

// TestHooksOfTheDocumentation runs each hook that docs/ci.md shows on a folder with a
// manifest that is refused.
func TestHooksOfTheDocumentation(t *testing.T) {
	page, entry := readPage(t, integrationsPage), ourHook(t)
	t.Chdir(t.TempDir())
	writeFile(t, "deploy/a.yaml", refusedManifest)
	writeFile(t, "probity.yaml", "apiVersion: probity.dev/v1alpha1\nkind: Configuration\n")
	shown := 0
	for _, block := range page.Blocks {
		if block.File() != ".pre-commit-config.yaml" {
			continue
		}
		shown++
		var config struct {
			Repos []struct {
				Repo, Rev string
				Hooks     []hook
			}
		}
		if err := yaml.UnmarshalStrict([]byte(block.Text), &config); err != nil {
			t.Errorf("%s:%d: %v", integrationsPage, block.Line, err)
			continue
		}
		h := config.Repos[0].Hooks[0]
		if h.ID != entry.ID {
			t.Errorf("%s:%d: there is no hook %q", integrationsPage, block.Line, h.ID)
		}
		if h.Entry == "" {
			h.Entry = entry.Entry
		}
		for _, pattern := range []string{h.Files, h.Exclude} {
			if _, err := regexp.Compile(pattern); err != nil {
				t.Errorf("%s:%d: %v", integrationsPage, block.Line, err)
			}
		}
		if stdout, stderr, status := h.run(t, "deploy/a.yaml"); status != exitDenied {
			t.Errorf("%s:%d: exit status %d\n%s%s", integrationsPage, block.Line, status, stdout, stderr)
		}
	}
	if shown == 0 {
		t.Error("the page shows no hook")
	}
}

// TestInputsOfTheAction: the page lists the inputs of action.yml with their defaults,
// and its workflows use no other.
func TestInputsOfTheAction(t *testing.T) {
	var action struct {
		Inputs map[string]struct{ Default string }
	}
	readYAML(t, "../../action.yml", &action)
	page := readPage(t, integrationsPage)
	used := 0
	for _, block := range page.Blocks {
		if !strings.HasPrefix(block.File(), ".github/workflows/") {
			continue
		}
		for name := range usesOfTheAction(t, block.Text) {
			used++
			if _, ok := action.Inputs[name]; !ok {
				t.Errorf("%s:%d: there is no input %q", integrationsPage, block.Line, name)
			}
		}
	}
	if used == 0 {
		t.Error("the page shows no use of the action")
	}
	text, err := os.ReadFile(integrationsPage)
	if err != nil {
		t.Fatal(err)
	}
	var listed, want []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| .* \\| (.*) \\|$").FindAllStringSubmatch(string(text), -1) {
		listed = append(listed, row[1]+" "+strings.Trim(row[2], "`"))
	}
	for name, input := range action.Inputs {
		byDefault := input.Default
		switch {
		case byDefault == "" && name == "output-file":
			byDefault = "the log"
		case byDefault == "":
			byDefault = "none"
		}
		want = append(want, name+" "+byDefault)
	}
	slices.Sort(listed)
	slices.Sort(want)
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("inputs (-action.yml +page)\n%s", diff)
	}
}

// usesOfTheAction returns what a workflow gives to the action.
func usesOfTheAction(t *testing.T, workflow string) map[string]any {
	t.Helper()
	var w struct {
		Jobs map[string]struct {
			Steps []struct {
				Uses string
				With map[string]any
			}
		}
	}
	if err := yaml.Unmarshal([]byte(workflow), &w); err != nil {
		t.Fatal(err)
	}
	inputs := map[string]any{}
	for _, job := range w.Jobs {
		for _, step := range job.Steps {
			if strings.HasPrefix(step.Uses, "probity-dev/probity@") {
				inputs = step.With
			}
		}
	}
	return inputs
}
