// Command bump sets the Kubernetes version of this module, or of one of those
// for older versions.
//
//	go run ./cmd/bump v1.37.2 && go mod tidy
//	go run ./cmd/bump v1.34.4 kubernetes/v1.34 && go -C kubernetes/v1.34 mod tidy
//
// Kubernetes' own go.mod takes its staging modules (k8s.io/api and about thirty
// more) from folders beside it. Those replacements do not count in another
// module, so each is repeated here with the version that Kubernetes published
// the folder under: v1.37.2 goes with v0.37.2.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

const (
	kubernetes = "k8s.io/kubernetes"
	// stagingFolder is where Kubernetes keeps the modules that it publishes by themselves.
	stagingFolder = "./staging/"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bump:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return errors.New("the Kubernetes version is needed, such as v1.37.2, and the folder of the go.mod if it is not this one")
	}
	version, folder := args[0], "."
	if len(args) == 2 {
		folder = args[1]
	}
	path := filepath.Join(folder, "go.mod")
	staged, err := stagingVersion(version)
	if err != nil {
		return err
	}
	theirs, err := kubernetesModFile(version)
	if err != nil {
		return err
	}
	ours, err := readModFile(path)
	if err != nil {
		return fmt.Errorf("run this in the folder of the e2e module, or name a folder of kubernetes/: %w", err)
	}
	text, err := rewrite(ours, theirs, version, staged)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return err
	}
	fmt.Printf("%s asks for Kubernetes %s, staging modules %s. Now run: go -C %s mod tidy\n", path, version, staged, folder)
	return nil
}

// stagingVersion returns the version under which Kubernetes publishes the
// staging modules of a release: v0.37.2 for v1.37.2.
func stagingVersion(version string) (string, error) {
	rest, ok := strings.CutPrefix(version, "v1.")
	if !ok || semver.Canonical(version) != version {
		return "", fmt.Errorf("%q is no Kubernetes version; a legal one is v1.37.2", version)
	}
	return "v0." + rest, nil
}

func kubernetesModFile(version string) (*modfile.File, error) {
	out, err := exec.Command("go", "mod", "download", "-json", kubernetes+"@"+version).Output()
	// The command fails with its reason in the JSON, so that is read first.
	var module struct{ GoMod, Error string }
	if jsonErr := json.Unmarshal(out, &module); jsonErr != nil {
		return nil, fmt.Errorf("download %s %s: %w", kubernetes, version, errors.Join(err, jsonErr))
	}
	if module.Error != "" {
		return nil, fmt.Errorf("download %s %s: %s", kubernetes, version, module.Error)
	}
	return readModFile(module.GoMod)
}

func readModFile(path string) (*modfile.File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(path, text, nil)
}

// rewrite returns our go.mod with the requirement and the replacements of one
// Kubernetes version in place of those of another. Other replacements stay.
func rewrite(ours, theirs *modfile.File, version, staged string) ([]byte, error) {
	for _, replace := range ours.Replace {
		if strings.HasPrefix(replace.Old.Path, "k8s.io/") {
			if err := ours.DropReplace(replace.Old.Path, replace.Old.Version); err != nil {
				return nil, err
			}
		}
	}
	if err := ours.AddRequire(kubernetes, version); err != nil {
		return nil, err
	}
	ours.Cleanup()
	text, err := ours.Format()
	if err != nil {
		return nil, err
	}
	// As text, since modfile adds one statement a replacement and no comment.
	var block strings.Builder
	block.WriteString("\n// Kubernetes takes these from folders of its own tree; cmd/bump writes the lines.\nreplace (\n")
	for _, replace := range theirs.Replace {
		if strings.HasPrefix(replace.New.Path, stagingFolder) {
			fmt.Fprintf(&block, "\t%[1]s => %[1]s %[2]s\n", replace.Old.Path, staged)
		}
	}
	block.WriteString(")\n")
	return append(text, block.String()...), nil
}
