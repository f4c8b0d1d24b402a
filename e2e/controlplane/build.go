package controlplane

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Build compiles the programs of a control plane and returns the folder that
// holds them, in the user's cache by Kubernetes version. What is there already
// in the wanted version is not built again: the first call takes minutes, later
// ones milliseconds. It needs the go command, and for the first call the
// module proxy. The variable PROBITY_KUBERNETES of the environment chooses an
// older version, by a folder of this module's kubernetes/, such as v1.34.
//
// Processes may call it at once: one builds, the others wait for it. A program
// appears in the folder whole or not at all.
func Build(ctx context.Context, out io.Writer) (dir string, err error) {
	return build(ctx, out, false)
}

// BuildWithNode is Build for a real node's programs as well: kubelet and kube-proxy. It
// builds the newest version only, and fails when an older one is chosen.
func BuildWithNode(ctx context.Context, out io.Writer) (dir string, err error) {
	return build(ctx, out, true)
}

func build(ctx context.Context, out io.Writer, realNode bool) (dir string, err error) {
	m, err := findModule()
	if err != nil {
		return "", err
	}
	kubernetes, err := m.kubernetes()
	if err != nil {
		return "", err
	}
	if realNode && kubernetes != m {
		return "", fmt.Errorf("%s=%s: a real node runs with the newest Kubernetes only, as no kubelet and kube-proxy of older ones are pinned: leave it empty, as KUBERNETES of make",
			versionVariable, filepath.Base(kubernetes.dir))
	}
	programs, err := listPrograms(m, kubernetes, realNode)
	if err != nil {
		return "", err
	}
	version, err := kubernetes.version(kubernetesModule)
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for the built control plane: %w", err)
	}
	dir = filepath.Join(cache, "probity", "control-plane", version)
	return dir, buildInto(ctx, dir, programs, newProgress(out))
}

func buildInto(ctx context.Context, dir string, programs []program, show *progress) error {
	if len(missing(programs, dir)) == 0 {
		return nil // The usual case takes no lock.
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	unlock, err := lockFolder(ctx, dir, show)
	if err != nil {
		return err
	}
	defer unlock()

	// Asked again: another process may have built them while this one waited.
	todo := missing(programs, dir)
	if len(todo) == 0 {
		return nil
	}
	begin := time.Now()
	show.line("Building the control plane into %s. The first time takes some minutes.", dir)
	for i, p := range todo {
		done := show.step(fmt.Sprintf("Building %s %s, %d of %d", p.name, p.version, i+1, len(todo)))
		err := buildProgram(ctx, dir, p)
		done()
		if err != nil {
			return err
		}
	}
	show.line("Built the control plane in %s.", seconds(time.Since(begin)))
	return nil
}

func missing(programs []program, dir string) []program {
	var todo []program
	for _, p := range programs {
		if !p.builtIn(dir) {
			todo = append(todo, p)
		}
	}
	return todo
}

// buildProgram builds beside the final name and renames, so that nobody runs
// half a program. The caller holds the lock of the folder.
func buildProgram(ctx context.Context, dir string, p program) error {
	unfinished := filepath.Join(dir, p.name+".unfinished")
	// Go refuses to write over what is no program, such as the rest of a killed build.
	_ = os.Remove(unfinished)
	defer func() { _ = os.Remove(unfinished) }() // After a success it is not there.

	goCommand, err := exec.LookPath("go")
	if err != nil {
		return fmt.Errorf("build %s: the go command is needed: %w", p.name, err)
	}
	// See startProcess: the build ends with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	// It takes all processors for minutes; whoever else works here goes first.
	cmd := exec.CommandContext(ctx, "nice", goCommand, "build", "-o", unfinished, "-ldflags", p.ldflags(), p.pkg)
	cmd.Dir = p.dir
	// A workspace around this tree would choose other versions.
	cmd.Env = append(os.Environ(), "GOWORK=off")
	// The compilers that go starts are in its group, and end with it.
	cmd.SysProcAttr = childAttributes()
	cmd.Cancel = func() error { return killGroup(cmd.Process.Pid) }

	output, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return fmt.Errorf("build %s: %w", p.name, context.Cause(ctx))
	}
	if err != nil {
		return fmt.Errorf("build %s: go build %s: %w\n%s", p.name, p.pkg, err, strings.TrimSpace(string(output)))
	}
	if err := os.Rename(unfinished, filepath.Join(dir, p.name)); err != nil {
		return fmt.Errorf("build %s: %w", p.name, err)
	}
	return nil
}
