//go:build node && linux

// Package isolate runs the tests of a package in namespaces of their own, as root, and
// leaves nothing behind on the machine, however they end.
//
// Three processes of the same program work together. The first one is what `go test`
// starts. It starts the keeper, which is in no terminal's reach and has the control
// groups of the run. The keeper prepares and then starts the tests as process 1 of new
// namespaces: with it every process in them ends, and with those the namespaces' mounts
// and networks. When the first one ends, even by SIGKILL, the keeper sees it and cleans
// up. When the keeper is killed, the first one does. When both are killed at once, the
// kernel ends all the others, and the next run removes a folder and empty control groups.
package isolate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// roleVariable says which of the three a process is.
	roleVariable = "PROBITY_NODE_ROLE"
	// folderVariable is the folder of the run.
	folderVariable = "PROBITY_NODE_FOLDER"

	keeper = "keeper"
	inside = "inside"

	// interrupted is the exit code after a signal, as shells have it.
	interrupted = 130
)

// Tests are what Main runs.
type Tests struct {
	// Check says what is missing on the machine, before anything is done.
	Check func() error
	// Prepare makes files in the folder, outside of the namespaces. What it starts ends
	// with the run.
	Prepare func(ctx context.Context, folder string) error
	// Run runs the tests inside, and returns the exit code. It need stop nothing.
	Run func(folder string) (code int)
}

// Main is the body of TestMain. It does not return.
func Main(tests Tests) {
	var code int
	var err error
	switch os.Getenv(roleVariable) {
	case keeper:
		code, err = tests.keep(os.Getenv(folderVariable))
	case inside:
		code, err = tests.inside(os.Getenv(folderVariable))
	default:
		code, err = tests.start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "node:", err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// start is the first process: it has the keeper work until it ends, or a signal comes.
func (t Tests) start() (code int, err error) {
	if err := t.Check(); err != nil {
		return 1, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	r, err := newRun()
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, r.remove()) }()

	read, write, err := os.Pipe()
	if err != nil {
		return 1, err
	}
	cmd := again(keeper, r.dir)
	cmd.Stdin = read
	cmd.ExtraFiles = []*os.File{r.lock} // The lock holds as long as either is there.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	_ = read.Close()
	defer write.Close()
	// The end of this pipe tells the keeper to clean up.
	defer context.AfterFunc(ctx, func() { _ = write.Close() })()
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return exit.ExitCode(), nil // It has told why.
	}
	return 0, err
}

// again starts this program with the same arguments in another role.
func again(role, folder string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), roleVariable+"="+role, folderVariable+"="+folder)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd
}

// keep is the keeper. Its standard input ends with the first process.
func (t Tests) keep(folder string) (code int, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // Nothing comes but the end.
		cancel()
	}()
	r, err := openRun(folder, os.NewFile(3, lockFile))
	if err != nil {
		return 1, err
	}
	defer func() { err = errors.Join(err, r.remove()) }()
	if err := r.groups.join(); err != nil {
		return 1, err
	}
	if err := t.Prepare(ctx, folder); err != nil {
		if ctx.Err() != nil {
			return interrupted, nil
		}
		return 1, err
	}
	return r.enterNamespaces(ctx)
}

// enterNamespaces runs the tests as process 1 of new namespaces.
func (r *run) enterNamespaces(ctx context.Context) (code int, err error) {
	// The kernel kills the child when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := again(inside, r.dir)
	temporary := filepath.Join(r.dir, "tmp")
	if err := os.Mkdir(temporary, 0o755); err != nil {
		return 1, err
	}
	cmd.Env = append(cmd.Env, "TMPDIR="+temporary)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWCGROUP | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		Pdeathsig:  syscall.SIGKILL,
	}
	if err := cmd.Start(); err != nil {
		return 1, fmt.Errorf("make namespaces: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	if err := r.groups.leave(); err != nil {
		_ = cmd.Process.Kill()
		return 1, errors.Join(err, cmd.Wait())
	}
	err = cmd.Wait()
	if ctx.Err() != nil {
		return interrupted, nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 0 {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// inside is process 1 of the namespaces.
func (t Tests) inside(folder string) (code int, err error) {
	if err := arrange(folder); err != nil {
		return 1, fmt.Errorf("arrange the namespaces: %w", err)
	}
	return t.Run(folder), nil
}
