//go:build node

// Package image builds images with buildah, without a container engine and without a
// registry, and looks into them.
package image

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/probity-dev/probity/e2e/node/machine"
)

// Needs are the programs that a Builder runs.
func Needs() []machine.Program {
	return []machine.Program{
		{Path: "go", Package: "golang"},
		{Path: "buildah", Package: "buildah"},
		{Path: "unshare", Package: "util-linux"},
		{Path: "mount", Package: "mount"},
		{Path: certificates, Package: "ca-certificates"},
	}
}

// Builder builds images. All that it keeps is in one folder.
type Builder struct{ dir string }

// NewBuilder returns a builder that keeps its images in the folder.
func NewBuilder(dir string) (*Builder, error) {
	b := &Builder{dir: dir}
	// Whatever the machine's own policy is: only what was built here is used.
	return b, os.WriteFile(b.policy(), []byte(`{"default": [{"type": "insecureAcceptAnything"}]}`), 0o644)
}

func (b *Builder) policy() string { return filepath.Join(b.dir, "policy.json") }

// build builds what the Dockerfile says, of the files in the context.
func (b *Builder) build(ctx context.Context, reference, dockerfile, files string, flags ...string) error {
	args := append([]string{"--isolation", "chroot", "--pull=never", "--tag", reference, "--file", dockerfile}, flags...)
	return b.run(ctx, "bud", append(args, files)...)
}

// Export writes an image into an archive that docker load and ctr images import read.
func (b *Builder) Export(ctx context.Context, reference, archive string) error {
	return b.run(ctx, "push", "--quiet", reference, "docker-archive:"+archive+":"+reference)
}

func (b *Builder) run(ctx context.Context, command string, args ...string) error {
	// buildah writes into /var/lib, whatever its flags say. So it sees one that is laid
	// over the machine's.
	over := filepath.Join(b.dir, "over")
	for _, dir := range []string{"upper", "work"} {
		if err := os.MkdirAll(filepath.Join(over, dir), 0o755); err != nil {
			return err
		}
	}
	const inNamespace = `mount -t overlay -o "lowerdir=/var/lib,upperdir=$0/upper,workdir=$0/work" overlay /var/lib && exec buildah "$@"`
	all := slices.Concat([]string{
		"--mount", "--propagation", "private", "sh", "-c", inNamespace, over,
		"--storage-driver", "vfs", // works on any file system
		"--root", filepath.Join(b.dir, "images"),
		"--runroot", filepath.Join(b.dir, "running"),
		command, "--signature-policy", b.policy(),
	}, args)
	cmd := exec.CommandContext(ctx, "unshare", all...)
	cmd.Env = append(os.Environ(), "TMPDIR="+b.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("buildah %s: %w\n%s", command, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Program builds an image of one static program that this module holds, and of nothing
// else. It runs as an ordinary user.
func (b *Builder) Program(ctx context.Context, reference, pkg string) error {
	files, err := os.MkdirTemp(b.dir, "program-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(files)
	cmd := exec.CommandContext(ctx, "go", "build", "-tags=node", "-ldflags=-s -w", "-o", filepath.Join(files, "program"), pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
	}
	dockerfile := filepath.Join(b.dir, "Dockerfile.program")
	const text = "FROM scratch\nCOPY program /program\nUSER 65532:65532\nENTRYPOINT [\"/program\"]\n"
	if err := os.WriteFile(dockerfile, []byte(text), 0o644); err != nil {
		return err
	}
	return b.build(ctx, reference, dockerfile, files)
}
