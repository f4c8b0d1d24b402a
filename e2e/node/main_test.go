//go:build node && linux

package node

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/e2e/controlplane"
	"github.com/probity-dev/probity/e2e/node/image"
	"github.com/probity-dev/probity/e2e/node/isolate"
	"github.com/probity-dev/probity/e2e/node/machine"
)

// cluster is what the tests share: starting it takes longer than most of them.
var cluster *Cluster

func TestMain(m *testing.M) {
	isolate.Main(isolate.Tests{
		Check:   func() error { return machine.Require(needs()...) },
		Prepare: prepare,
		Run: func(folder string) int {
			programs, err := os.Readlink(filepath.Join(folder, "programs"))
			if err == nil {
				cluster, err = startCluster(context.Background(), programs, folder, os.Stderr)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
			code := m.Run()
			if code != 0 {
				cluster.tellLogs(os.Stderr)
			}
			return code
		},
	})
}

// prepare builds programs and images.
func prepare(ctx context.Context, folder string) error {
	programs, err := controlplane.BuildWithNode(ctx, os.Stderr)
	if err != nil {
		return err
	}
	if err := os.Symlink(programs, filepath.Join(folder, "programs")); err != nil {
		return err
	}
	repository, err := repository()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "Building Helm. The first time takes some minutes.")
	helm := exec.CommandContext(ctx, "nice", "go", "build", "-o", filepath.Join(folder, "helm"), "./helm")
	// A module of its own: Helm needs other versions of libraries than the control plane.
	helm.Dir, helm.Env = filepath.Join(repository, "e2e", "chart"), append(os.Environ(), "GOWORK=off")
	if out, err := helm.CombinedOutput(); err != nil {
		return fmt.Errorf("build Helm: %w\n%s", err, out)
	}
	return buildImages(ctx, repository, folder)
}

// buildImages leaves archives of the images, and Probity's program as its image has it.
func buildImages(ctx context.Context, repository, folder string) error {
	images, build, root := filepath.Join(folder, "images"), filepath.Join(folder, "build"), filepath.Join(folder, "root")
	for _, dir := range []string{images, build, root} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	builder, err := image.NewBuilder(build)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "Building the images.")
	name, version, err := released(repository)
	if err != nil {
		return err
	}
	reference, archive := name+":"+version, filepath.Join(images, "probity.tar")
	if err := builder.Probity(ctx, repository, reference, version); err != nil {
		return err
	}
	if err := builder.Export(ctx, reference, archive); err != nil {
		return err
	}
	if _, err := image.Open(archive, root); err != nil {
		return err
	}
	for reference, pkg := range map[string]string{pauseImage: "pause", workloadImage: "workload"} {
		if err := builder.Program(ctx, reference, "./cmd/"+pkg); err != nil {
			return err
		}
		if err := builder.Export(ctx, reference, filepath.Join(images, pkg+".tar")); err != nil {
			return err
		}
	}
	return nil
}

// released returns the name and the version of the image that the manifests run. The
// chart runs the same one, which e2e/chart compares.
func released(repository string) (name, version string, err error) {
	text, err := os.ReadFile(filepath.Join(repository, "manifests", "base", "kustomization.yaml"))
	if err != nil {
		return "", "", err
	}
	var k struct {
		Images []struct{ NewName, NewTag string }
	}
	if err := yaml.Unmarshal(text, &k); err != nil {
		return "", "", err
	}
	if len(k.Images) != 1 {
		return "", "", fmt.Errorf("manifests/base names %d images, want one", len(k.Images))
	}
	return k.Images[0].NewName, k.Images[0].NewTag, nil
}

// repository returns the root: go runs tests in the folder of their package.
func repository() (string, error) { return filepath.Abs(filepath.Join("..", "..")) }
