package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
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

// TestPreCommitHook runs the hook's entry on a file, as pre-commit does.
func TestPreCommitHook(t *testing.T) {
	var hooks []struct{ ID, Entry, Language string }
	readYAML(t, "../../.pre-commit-hooks.yaml", &hooks)
	if len(hooks) != 1 || hooks[0].Language != "golang" {
		t.Fatalf("got %+v", hooks)
	}
	manifest := filepath.Join(t.TempDir(), "deploy.yaml")
	if err := os.WriteFile(manifest, []byte(refusedManifest), 0o600); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(hooks[0].Entry)
	var stdout, stderr bytes.Buffer
	p := program{name: words[0], stdin: strings.NewReader(""), stdout: stream{Writer: &stdout}, stderr: stream{Writer: &stderr}, getenv: func(string) string { return "" }}
	if status := p.run(append(words[1:], manifest)); status != exitDenied || !strings.Contains(stdout.String(), "liveness-dependency-path") {
		t.Errorf("exit status %d\n%s%s", status, stdout.String(), stderr.String())
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
