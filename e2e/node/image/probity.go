//go:build node

package image

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// baseImage is the one that the Dockerfile builds in.
const baseImage = "docker.io/library/golang:1.26"

// certificates is where Debian and the base image keep the authorities.
const certificates = "/etc/ssl/certs/ca-certificates.crt"

// Probity builds the repository's Dockerfile. Its base image is replaced by one that
// holds this machine's Go and shows its programs, so no registry is asked; modules
// come from Go's cache, which is filled first.
func (b *Builder) Probity(ctx context.Context, repository, reference, version string) error {
	golang, err := readGo(ctx, repository)
	if err != nil {
		return err
	}
	if err := b.base(ctx, golang); err != nil {
		return fmt.Errorf("stand-in for %s: %w", baseImage, err)
	}
	flags := []string{
		"--build-arg", "VERSION=" + version,
		"--volume", "/usr:/usr:ro",
		"--volume", golang.GOMODCACHE + ":/go/pkg/mod",
		"--volume", golang.GOCACHE + ":/go/cache",
	}
	if !strings.HasPrefix(golang.GOROOT, "/usr/") {
		flags = append(flags, "--volume", golang.GOROOT+":"+golang.GOROOT+":ro")
	}
	if err := b.build(ctx, reference, filepath.Join(repository, "Dockerfile"), repository, flags...); err != nil {
		return fmt.Errorf("%s: %w", reference, err)
	}
	return nil
}

// goEnvironment is what `go env` says.
type goEnvironment struct{ GOROOT, GOMODCACHE, GOCACHE string }

func readGo(ctx context.Context, repository string) (e goEnvironment, err error) {
	download := exec.CommandContext(ctx, "go", "mod", "download")
	download.Dir, download.Env = repository, append(os.Environ(), "GOWORK=off")
	if out, err := download.CombinedOutput(); err != nil {
		return e, fmt.Errorf("go mod download: %w\n%s", err, out)
	}
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		return e, fmt.Errorf("go env: %w", err)
	}
	return e, json.Unmarshal(out, &e)
}

// base builds the stand-in: the machine's /usr is shown in it, so of its own it has
// only the links that lead there, and the certificates.
func (b *Builder) base(ctx context.Context, golang goEnvironment) error {
	files, err := os.MkdirTemp(b.dir, "base-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(files)
	for _, name := range []string{"bin", "lib", "lib64"} {
		target, err := os.Readlink("/" + name)
		if os.IsNotExist(err) {
			continue // lib64 is not on every architecture
		}
		if err != nil {
			return fmt.Errorf("/%s is no link into /usr, as it is on today's distributions: %w", name, err)
		}
		if err := os.Symlink(target, filepath.Join(files, name)); err != nil {
			return err
		}
	}
	roots, err := os.ReadFile(certificates)
	if err != nil {
		return fmt.Errorf("the certificates of public authorities (Debian: ca-certificates): %w", err)
	}
	copied := filepath.Join(files, certificates)
	for _, folder := range []string{filepath.Dir(copied), filepath.Join(files, "tmp")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(copied, roots, 0o644); err != nil {
		return err
	}
	dockerfile := filepath.Join(b.dir, "Dockerfile.base")
	text := "FROM scratch\nCOPY . /\nENV PATH=" + golang.GOROOT + "/bin:/usr/bin:/bin GOROOT=" + golang.GOROOT +
		" GOPATH=/go GOCACHE=/go/cache GOTOOLCHAIN=local GOPROXY=off\n"
	if err := os.WriteFile(dockerfile, []byte(text), 0o644); err != nil {
		return err
	}
	return b.build(ctx, baseImage, dockerfile, files)
}
