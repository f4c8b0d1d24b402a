//go:build node

package image

import (
	"bytes"
	"crypto/x509"
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/e2e/node/machine"
)

const version = "v1.2.3-test"

// rootVariable makes this program run the image's program in the folder that it names.
const rootVariable = "PROBITY_TEST_IMAGE_ROOT"

func TestMain(m *testing.M) {
	if root := os.Getenv(rootVariable); root != "" {
		fmt.Fprintln(os.Stderr, enter(root, os.Args[1:]))
		os.Exit(125)
	}
	if err := machine.Require(Needs()...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// enter becomes the program of an image: as its user, with nothing of this machine to
// see, on a file system that cannot be written.
func enter(root string, args []string) error {
	const user = 65532
	for _, mount := range []struct {
		source, target string
		flags          uintptr
	}{
		{"none", "/", syscall.MS_REC | syscall.MS_PRIVATE},
		{root, root, syscall.MS_BIND},
		{"none", root, syscall.MS_BIND | syscall.MS_REMOUNT | syscall.MS_RDONLY},
	} {
		if err := syscall.Mount(mount.source, mount.target, "", mount.flags, ""); err != nil {
			return fmt.Errorf("mount %s: %w", mount.target, err)
		}
	}
	if err := syscall.Chroot(root); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	if err := syscall.Chdir("/"); err != nil {
		return err
	}
	for _, drop := range []error{syscall.Setgroups(nil), syscall.Setgid(user), syscall.Setuid(user)} {
		if drop != nil {
			return fmt.Errorf("become user %d: %w", user, drop)
		}
	}
	return syscall.Exec("/probity", append([]string{"/probity"}, args...), nil)
}

// TestTheImage builds it once, and looks at it from all sides.
func TestTheImage(t *testing.T) {
	builder, err := NewBuilder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	repository, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	const reference = "probity-dev/probity:test"
	if err := builder.Probity(t.Context(), repository, reference, version); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "image.tar")
	if err := builder.Export(t.Context(), reference, archive); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	content, err := Open(archive, root)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("it holds a program and certificates, and runs as nobody", func(t *testing.T) {
		slices.Sort(content.Folders)
		want := &Content{
			Config:  Config{User: "65532:65532", Entrypoint: []string{"/probity"}},
			Folders: []string{"etc", "etc/ssl", "etc/ssl/certs"},
			Files:   map[string]os.FileMode{"probity": 0o755, "etc/ssl/certs/ca-certificates.crt": 0o644},
		}
		content.Folders = slices.Compact(content.Folders)
		if diff := cmp.Diff(want, content); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("the program is static and built as a release is", func(t *testing.T) { checkProgram(t, filepath.Join(root, "probity")) })
	t.Run("the certificates are those of authorities", func(t *testing.T) {
		roots, err := os.ReadFile(filepath.Join(root, certificates))
		if err != nil {
			t.Fatal(err)
		}
		if !x509.NewCertPool().AppendCertsFromPEM(roots) {
			t.Error("none is a certificate")
		}
	})
	t.Run("it works on a root that cannot be written", func(t *testing.T) { checkRuns(t, root, repository) })
}

func checkProgram(t *testing.T, path string) {
	program, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = program.Close() }()
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("it is linked dynamically: it has %s", p.Type)
		}
	}
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Path != "github.com/probity-dev/probity/cmd/probity" {
		t.Errorf("it is %s", info.Path)
	}
	got := map[string]string{}
	for _, s := range info.Settings {
		if s.Key == "CGO_ENABLED" || s.Key == "-trimpath" || s.Key == "GOOS" {
			got[s.Key] = s.Value
		}
	}
	if diff := cmp.Diff(map[string]string{"CGO_ENABLED": "0", "-trimpath": "true", "GOOS": "linux"}, got); diff != "" {
		t.Error(diff)
	}
}

func checkRuns(t *testing.T, root, repository string) {
	out, stderr, err := inImage(t, root, nil, "version")
	if err != nil || !strings.Contains(out, version) {
		t.Errorf("version: %v, %q, %s", err, out, stderr)
	}
	manifest, err := os.ReadFile(filepath.Join(repository, "manifests", "base", "deployment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, stderr, err := inImage(t, root, manifest, "check", "-"); err != nil {
		t.Errorf("check of its own Deployment: %v, %s", err, stderr)
	}
}

// inImage runs Probity in a mount namespace of its own.
func inImage(t *testing.T, root string, stdin []byte, args ...string) (stdout, stderr string, err error) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = []string{rootVariable + "=" + root}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &errOut
	err = cmd.Run()
	return out.String(), errOut.String(), err
}
