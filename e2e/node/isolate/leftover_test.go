//go:build node && linux

package isolate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// actVariable makes this program one whose tests are isolated; see beTests.
	actVariable = "PROBITY_TEST_ISOLATE"
	// patience bounds every wait.
	patience = time.Minute
)

func TestMain(m *testing.M) {
	if act := os.Getenv(actVariable); act != "" {
		beTests(act)
	}
	os.Exit(m.Run())
}

// beTests does inside what a node does: processes that nobody stops, mounts, an
// interface, and a control group below its own. Then it ends as it is told, or waits.
func beTests(act string) {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGUSR1)
	Main(Tests{
		Check:   func() error { return nil },
		Prepare: func(context.Context, string) error { return nil },
		Run: func(folder string) int {
			if err := leaveTraces(folder); err != nil {
				fmt.Println(err)
				return 1
			}
			fmt.Println("ready", os.Getpid(), folder)
			switch act {
			case "success":
				return 0
			case "failure":
				return 3
			}
			<-ended // It never comes: this waits to be killed.
			return 1
		},
	})
}

func leaveTraces(folder string) error {
	all, err := hierarchies()
	if err != nil {
		return err
	}
	sleeper := exec.Command("sleep", "1000")
	sleeper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := sleeper.Start(); err != nil {
		return err
	}
	for _, h := range all {
		group := filepath.Join("/sys/fs/cgroup", strings.TrimPrefix(h.controllers, "name="), "kubepods", "pod1")
		if err := os.MkdirAll(group, 0o755); err != nil {
			return err
		}
		if strings.Contains(h.controllers, "cpuset") {
			continue // No process may come in before it has processors.
		}
		if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(sleeper.Process.Pid)), 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile("/var/lib/probity-trace", nil, 0o644); err != nil {
		return err
	}
	point := filepath.Join(folder, "mounted")
	if err := os.Mkdir(point, 0o755); err != nil {
		return err
	}
	return mount("tmpfs", point, "tmpfs", 0, "")
}

// machineState is what a run must leave as it was.
func machineState(t *testing.T) []string {
	t.Helper()
	state, err := leftovers()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/proc/self/mountinfo", "/proc/net/dev_mcast", "/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/panic", "/proc/sys/net/ipv4/ip_forward"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		state = append(state, path+": "+string(text))
	}
	if _, err := os.Stat("/var/lib/probity-trace"); err == nil {
		state = append(state, "/var/lib/probity-trace is there")
	}
	return state
}

// leftovers returns what runs have left on the machine: folders, control groups and
// mounts. Those of a run that goes on are among them.
func leftovers() ([]string, error) {
	all, err := hierarchies()
	if err != nil {
		return nil, err
	}
	patterns := []string{filepath.Join(os.TempDir(), prefix+"*")}
	for _, h := range all {
		patterns = append(patterns, filepath.Join(h.own, prefix+"*"), filepath.Join(h.own, "kubepods*"))
	}
	var left []string
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil {
			return nil, err
		}
		left = append(left, found...)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(mounts)) {
		if strings.Contains(line, prefix) {
			left = append(left, strings.TrimSpace(line))
		}
	}
	return left, nil
}

// TestNothingStays ends runs in all ways.
func TestNothingStays(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Fatal("this needs root, for namespaces: run it as root")
	}
	for _, test := range []struct {
		name, act string
		end       func(t *testing.T, first int)
		code      int // -1 is the end by a signal
	}{
		{"after success", "success", func(*testing.T, int) {}, 0},
		{"after a failure", "failure", func(*testing.T, int) {}, 3},
		{"after Ctrl-C", "wait", func(t *testing.T, first int) { kill(t, first, syscall.SIGINT) }, interrupted},
		{"after SIGTERM", "wait", func(t *testing.T, first int) { kill(t, first, syscall.SIGTERM) }, interrupted},
		{"after SIGKILL of the first process", "wait", func(t *testing.T, first int) { kill(t, first, syscall.SIGKILL) }, -1},
		{"after SIGKILL of the keeper", "wait", func(t *testing.T, first int) { kill(t, child(t, first), syscall.SIGKILL) }, 1},
		{"after SIGKILL of the tests", "wait", func(t *testing.T, first int) { kill(t, child(t, child(t, first)), syscall.SIGKILL) }, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			before := machineState(t)
			cmd, inner := startRun(t, test.act)
			test.end(t, cmd.Process.Pid)
			_ = cmd.Wait() // How it ended is in its state.
			if code := cmd.ProcessState.ExitCode(); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			gone(t, before, inner)
		})
	}
}

// TestTheNextRunCleansUp after one of which every process was killed at once.
func TestTheNextRunCleansUp(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	before := machineState(t)
	cmd, inner := startRun(t, "wait")
	keeper := child(t, cmd.Process.Pid)
	kill(t, keeper, syscall.SIGSTOP) // so that it sees no end of the first one
	kill(t, cmd.Process.Pid, syscall.SIGKILL)
	kill(t, keeper, syscall.SIGKILL)
	_ = cmd.Wait()
	await(t, func() error { return alive(inner) })
	if slices.Equal(before, machineState(t)) {
		t.Error("nothing was left: this test shows nothing")
	}
	next, _ := startRun(t, "success")
	if err := next.Wait(); err != nil {
		t.Error(err)
	}
	gone(t, before, inner)
}

// startRun starts this program as one whose tests are isolated, and returns when they
// run. Inner is the process of theirs that nobody would stop.
func startRun(t *testing.T, act string) (cmd *exec.Cmd, inner string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe() // Not cmd's own, which would have Wait wait for all that hold it.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = read.Close() })
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), actVariable+"="+act)
	cmd.Stdout, cmd.Stderr = write, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = write.Close()
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) || !strings.HasPrefix(line, "ready 1 ") {
		t.Fatalf("it printed %q: %v", line, err)
	}
	return cmd, filepath.Base(strings.TrimSpace(strings.TrimPrefix(line, "ready 1 ")))
}

// gone waits until the machine is as it was.
func gone(t *testing.T, before []string, inner string) {
	t.Helper()
	await(t, func() error {
		if err := alive(inner); err != nil {
			return err
		}
		for _, trace := range machineState(t) {
			if !slices.Contains(before, trace) {
				return fmt.Errorf("this stays: %s", trace)
			}
		}
		return nil
	})
}

// alive tells of processes that have the folder of the run in their environment.
func alive(folder string) error {
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return err
	}
	for _, path := range found {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), folder) {
			return fmt.Errorf("%s runs still", path)
		}
	}
	return nil
}

// child returns the one child of a process.
func child(t *testing.T, pid int) (found int) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range tasks {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // The thread has ended.
		}
		if fields := strings.Fields(string(text)); len(fields) > 0 {
			if found, err = strconv.Atoi(fields[0]); err == nil {
				return found
			}
		}
	}
	t.Fatalf("process %d has no child", pid)
	return 0
}

func kill(t *testing.T, pid int, signal syscall.Signal) {
	t.Helper()
	if err := unix.Kill(pid, signal); err != nil {
		t.Fatalf("%s to %d: %v", signal, pid, err)
	}
}

func await(t *testing.T, check func() error) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("not within %s: %v", patience, err)
		case <-tick.C:
		}
	}
}
