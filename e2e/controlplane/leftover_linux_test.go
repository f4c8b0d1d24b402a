package controlplane

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// These tests look into /proc, hence the name of this file.

// parentVariable makes the test program the parent of a control plane that
// another test kills. Its value is the folder of the built programs.
const parentVariable = "PROBITY_TEST_CONTROL_PLANE_PARENT"

func TestMain(m *testing.M) {
	if programs := os.Getenv(parentVariable); programs != "" {
		beParent(programs)
	}
	os.Exit(m.Run())
}

// beParent starts a control plane, prints its folder and waits to be killed.
func beParent(programs string) {
	cluster, err := Start(context.Background(), Options{Programs: programs})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(cluster.Dir())
	fmt.Fprintln(os.Stderr, cluster.Wait(context.Background()))
	os.Exit(1)
}

func TestStartTellsWhyAProgramFailsAndLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	programs := t.TempDir()
	if err := os.Symlink(filepath.Join(buildPrograms(t), "etcd"), filepath.Join(programs, "etcd")); err != nil {
		t.Fatal(err)
	}
	broken := "#!/bin/sh\necho no such thing as a webhook\nexit 7\n"
	if err := os.WriteFile(filepath.Join(programs, "kube-apiserver"), []byte(broken), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Programs: programs})
	want := "start the control plane: kube-apiserver ended by itself: exit status 7; its log ends with:\nno such thing as a webhook"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if alive := processesIn(t, os.TempDir()); len(alive) != 0 {
		t.Errorf("still run: %v", alive)
	}
}

func TestStopLeavesNoProcessAndNoFile(t *testing.T) {
	cluster, err := Start(t.Context(), Options{Programs: buildPrograms(t)})
	if err != nil {
		t.Fatal(err)
	}
	if running := processesIn(t, cluster.Dir()); len(running) != 5 {
		t.Errorf("run: %v, want five programs", running)
	}
	for range 2 {
		if err := cluster.Stop(); err != nil {
			t.Error(err)
		}
	}
	if running := processesIn(t, cluster.Dir()); len(running) != 0 {
		t.Errorf("still run: %v", running)
	}
	if _, err := os.Stat(cluster.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestWaitTellsThatAProgramEnded(t *testing.T) {
	cluster := startCluster(t)
	if err := cluster.etcd.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	err := cluster.Wait(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "etcd ended by itself: signal: killed") {
		t.Errorf("error %v, want one that names etcd", err)
	}
}

func TestNoProcessOutlivesAKilledParent(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.CommandContext(t.Context(), self)
	parent.Env = append(os.Environ(), parentVariable+"="+buildPrograms(t), "TMPDIR="+t.TempDir())
	parent.Stderr = os.Stderr
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	dir, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the parent printed %q: %v", dir, err)
	}
	dir = strings.TrimSpace(dir)
	if running := processesIn(t, dir); len(running) != 5 {
		t.Errorf("run: %v, want five programs", running)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // It was killed; that is no failure.

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ticker := newProbeTicker()
	defer ticker.Stop()
	for running := processesIn(t, dir); len(running) != 0; running = processesIn(t, dir) {
		select {
		case <-ctx.Done():
			t.Fatalf("still run: %v", running)
		case <-ticker.C:
		}
	}
}

// processesIn returns the programs that run with their working directory in a
// folder, by process id.
func processesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		t.Fatal(err)
	}
	running := map[string]string{}
	for _, link := range links {
		cwd, err := os.Readlink(link)
		if err != nil || !strings.HasPrefix(cwd, dir) {
			continue // Ended since, somebody else's, or elsewhere.
		}
		process := filepath.Dir(link)
		name, err := os.ReadFile(filepath.Join(process, "comm"))
		if err != nil {
			continue
		}
		running[filepath.Base(process)] = strings.TrimSpace(string(name))
	}
	return running
}
