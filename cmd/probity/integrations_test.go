package main

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// asProgram makes the test's own binary behave as Probity.
const asProgram = "PROBITY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// goBuild stands in for `go build -o FILE`: it puts the test's own binary there,
// since a build of its own would take minutes on a cold cache.
const goBuild = `#!/usr/bin/env bash
while [ "$1" != -o ]; do shift; done
printf '#!/usr/bin/env bash\n` + asProgram + `=1 exec %q "$@"\n' "$TEST_BINARY" > "$2"
chmod +x "$2"
`

// TestAction runs the script of action.yml as a runner would, on a manifest that
// is refused.
func TestAction(t *testing.T) {
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct {
				Run string
				Env map[string]string
			}
		}
	}
	readYAML(t, "../../action.yml", &action)
	step := action.Runs.Steps[len(action.Runs.Steps)-1]
	folder := t.TempDir()
	manifest := filepath.Join(folder, "deploy.yaml")
	if err := os.WriteFile(manifest, []byte(refusedManifest), 0o600); err != nil {
		t.Fatal(err)
	}
	tools := t.TempDir()
	if err := os.WriteFile(filepath.Join(tools, "go"), []byte(goBuild), 0o700); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "RUNNER_TEMP="+t.TempDir(), "TEST_BINARY="+os.Args[0], "PATH="+tools+":"+os.Getenv("PATH"))
	for name, expression := range step.Env {
		value := expression
		if input, ok := strings.CutPrefix(expression, "${{ inputs."); ok {
			value = action.Inputs[strings.TrimSuffix(input, " }}")].Default
		}
		switch name {
		case "ACTION_PATH":
			value = "."
		case "PATHS":
			value = manifest + "\n\n"
		}
		env = append(env, name+"="+value)
	}
	script := exec.CommandContext(t.Context(), "bash", "-e", "-o", "pipefail", "-c", step.Run)
	script.Env, script.Dir = env, folder
	out, err := script.CombinedOutput()
	if script.ProcessState.ExitCode() != exitDenied || !bytes.Contains(out, []byte("::error ")) || !bytes.Contains(out, []byte("liveness-dependency-path")) {
		t.Errorf("%v\n%s", err, out)
	}
}

const refusedManifest = `apiVersion: v1
kind: Pod
metadata: {name: shop}
spec:
  containers:
  - name: app
    livenessProbe: {httpGet: {path: /health/db, port: 8080}}
`

// ordinary are files of a repository that are no manifests.
var ordinary = map[string]string{
	".github/workflows/ci.yml":         "on: push\njobs: {}\n",
	".pre-commit-config.yaml":          "repos: []\n",
	"charts/shop/Chart.yaml":           "apiVersion: v2\nname: shop\nversion: 0.1.0\n",
	"charts/shop/templates/a.yaml":     "apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Release.Name }}}\n",
	"charts/shop/values.yaml":          "replicas: 2\n",
	"overlays/prod/kustomization.yaml": "resources: [../../base]\npatches: [{path: patch.yaml}]\n",
	"overlays/prod/patch.yaml":         "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 3}\n",
}

// hook is what a hook is, and what a repository may change of it.
type hook struct {
	ID, Entry, Language, Files, Exclude string
	Args                                []string
	PassFilenames                       *bool `json:"pass_filenames"`
}

func ourHook(t *testing.T) hook {
	t.Helper()
	var hooks []hook
	readYAML(t, "../../.pre-commit-hooks.yaml", &hooks)
	if len(hooks) != 1 || hooks[0].Language != "golang" {
		t.Fatalf("got %+v", hooks)
	}
	return hooks[0]
}

// run does with files what pre-commit does: its arguments stand behind the entry, and
// the files behind them.
func (h hook) run(t *testing.T, files ...string) (stdout, stderr string, status int) {
	t.Helper()
	words := append(strings.Fields(h.Entry), h.Args...)
	if words[0] != "probity" {
		t.Fatalf("the entry is %q", h.Entry)
	}
	if h.PassFilenames == nil || *h.PassFilenames {
		words = append(words, files...)
	}
	return runIn(t, "", words[1:]...)
}

// TestPreCommitHook runs the hook's entry on files, as pre-commit does.
func TestPreCommitHook(t *testing.T) {
	entry := ourHook(t)
	t.Chdir(t.TempDir())
	for name, text := range ordinary {
		writeFile(t, name, text)
	}
	writeFile(t, "deploy.yaml", refusedManifest)
	files := slices.Sorted(maps.Keys(ordinary))
	stdout, stderr, status := entry.run(t, files...)
	const nothing = "Nothing to judge (5 files, profile baseline); 5 files without Kubernetes objects passed over; 2 folders to render first\n"
	if status != exitClean || stdout != nothing {
		t.Errorf("exit status %d\n%s%s", status, stdout, stderr)
	}
	stdout, stderr, status = entry.run(t, append(files, "deploy.yaml")...)
	if status != exitDenied || !strings.Contains(stdout, "liveness-dependency-path") {
		t.Errorf("exit status %d\n%s%s", status, stdout, stderr)
	}
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}
