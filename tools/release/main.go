// Command release makes what a release holds beside the programs and the image,
// and writes a new version where the tree names it. The Makefile and
// .goreleaser.yaml call it, from this folder:
//
//	go run . version v0.2.0
//	go run . assets -version v0.2.0 -time 1790000000 -o dist/assets
//	go run . krew -release dist/release
//
// It is a module of its own for kustomize, which the product does not need.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// tree is the root of the repository, as seen from this module's folder.
const tree = "../.."

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("say what to do: version, assets or krew")
	}
	switch args[0] {
	case "version":
		return runVersion(args[1:])
	case "assets":
		return runAssets(args[1:])
	case "krew":
		return runKrew(args[1:], out)
	}
	return fmt.Errorf("unknown command %q: say version, assets or krew", args[0])
}

// runVersion writes another version where the tree names it.
func runVersion(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("version takes one version, such as v0.2.0, got %d", len(args))
	}
	return setVersion(tree, args[0], time.Now().UTC())
}

func runAssets(args []string) error {
	flags := flag.NewFlagSet("assets", flag.ContinueOnError)
	var a assets
	flags.StringVar(&a.version, "version", "", "version of the release, such as v0.2.0")
	flags.StringVar(&a.image, "image", "", "name of the image, without tag; empty for the one in manifests/base")
	flags.StringVar(&a.digest, "digest", "", "digest of the image, sha256:...; empty to name it by its tag alone")
	snapshot := flags.Bool("snapshot", false, "whether the version may differ from the one that the tree names")
	seconds := flags.Int64("time", 0, "time of the files in the chart's archive, in seconds since 1970")
	folder := flags.String("o", "dist/assets", "folder for the files, below the root of the repository; made anew")
	if err := flags.Parse(args); err != nil {
		return err
	}
	a.time = time.Unix(*seconds, 0).UTC()
	if !*snapshot {
		if err := sameVersion(tree, a.version); err != nil {
			return err
		}
	}
	files, err := a.files(os.DirFS(filepath.Join(tree, "manifests")))
	if err != nil {
		return err
	}
	return writeAnew(filepath.Join(tree, *folder), files)
}

// writeAnew leaves nothing of an earlier release in the folder.
func writeAnew(folder string, files map[string][]byte) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// runKrew reads what goreleaser left in a folder.
func runKrew(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("krew", flag.ContinueOnError)
	folder := flags.String("release", "dist/release", "folder of the release, below the root of the repository")
	if err := flags.Parse(args); err != nil {
		return err
	}
	template, err := os.ReadFile(filepath.Join(tree, ".krew.yaml"))
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(tree, *folder, "checksums.txt"))
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(tree, *folder, "metadata.json"))
	if err != nil {
		return err
	}
	var metadata struct{ Version string }
	if err := json.Unmarshal(text, &metadata); err != nil {
		return fmt.Errorf("metadata.json: %w", err)
	}
	plugin, err := krew(string(template), "v"+metadata.Version, string(sums))
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, plugin)
	return err
}
