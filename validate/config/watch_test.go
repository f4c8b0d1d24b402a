package config

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
)

// volume is a ConfigMap as the kubelet mounts it: config.yaml points to
// ..data/config.yaml, and ..data to the folder of one version
// (pkg/volume/util/atomic_writer.go of Kubernetes).
type volume struct {
	t    *testing.T
	dir  string
	last string
}

func mount(t *testing.T, text string) *volume {
	t.Helper()
	v := &volume{t: t, dir: t.TempDir()}
	v.swap("..2026_01_01_00_00_00.1", text)
	v.must(os.Symlink("..data/config.yaml", v.path()))
	return v
}

func (v *volume) path() string { return filepath.Join(v.dir, "config.yaml") }

// swap writes a new version, exchanges the link by a rename and removes the old
// version.
func (v *volume) swap(version, text string) {
	v.t.Helper()
	folder := filepath.Join(v.dir, version)
	v.must(os.Mkdir(folder, 0o755))
	v.must(os.WriteFile(filepath.Join(folder, "config.yaml"), []byte(text), 0o600))
	v.must(os.Symlink(version, filepath.Join(v.dir, "..data_tmp")))
	v.must(os.Rename(filepath.Join(v.dir, "..data_tmp"), filepath.Join(v.dir, "..data")))
	if v.last != "" {
		v.must(os.RemoveAll(v.last))
	}
	v.last = folder
}

func (v *volume) must(err error) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
}

const header = "apiVersion: probity.dev/v1alpha1\nkind: Configuration\n"

func withMode(mode string) string { return header + "defaults: {mode: " + mode + "}\n" }

// log keeps what a Watcher tells, each as "MODE" or "MODE: ERROR".
type log struct{ told []string }

func (l *log) loaded(load Reload) {
	line := load.Config.Defaults.Settings(validate.ModeOff).Mode.String()
	if load.Err != nil {
		line += ": " + load.Err.Error()
	}
	l.told = append(l.told, line)
}

// take returns what was told since it was last called.
func (l *log) take() []string {
	told := l.told
	l.told = nil
	return told
}

func watch(t *testing.T, path string, tell func(Reload)) *Watcher {
	t.Helper()
	w, err := NewWatcher(path)
	if err != nil {
		t.Fatal(err)
	}
	w.Notify(tell)
	return w
}

func TestAChangedFileIsTakenAndABadOneKeepsTheLastGoodOne(t *testing.T) {
	v := mount(t, withMode("warn"))
	var l log
	w := watch(t, v.path(), l.loaded)
	steps := []struct {
		name string
		do   func()
		want []string
	}{
		{"the first version", func() {}, []string{"warn"}},
		{"nothing changes", func() {}, nil},
		{"the ConfigMap changes", func() { v.swap("..2026_01_01_00_01_00.2", withMode("enforce")) }, []string{"enforce"}},
		{"a version with the same content", func() { v.swap("..2026_01_01_00_02_00.3", withMode("enforce")) }, nil},
		{"a version with a mistake", func() { v.swap("..2026_01_01_00_03_00.4", withMode("enforced")) }, []string{
			"enforce: " + v.path() + `:3: defaults.mode must be enforce, warn, audit or off, is "enforced"; did you mean "enforce"?`,
		}},
		{"the mistake stays and is not told again", func() {}, nil},
		{"the mistake is taken back", func() { v.swap("..2026_01_01_00_04_00.5", withMode("enforce")) }, []string{"enforce"}},
		{"the file is emptied", func() { v.swap("..2026_01_01_00_05_00.6", "") }, []string{
			"enforce: " + v.path() + ":1: is empty; it must hold apiVersion: probity.dev/v1alpha1 and kind: Configuration",
		}},
		{"it is as before", func() { v.swap("..2026_01_01_00_06_00.7", withMode("enforce")) }, []string{"enforce"}},
		{"the file goes", func() { v.must(os.Remove(v.path())) }, []string{
			"enforce: read configuration: open " + v.path() + ": no such file or directory",
		}},
		{"an ordinary file comes in its place", func() { v.must(os.WriteFile(v.path(), []byte(withMode("audit")), 0o600)) }, []string{"audit"}},
	}
	for _, s := range steps {
		s.do()
		w.check() // sees it
		w.check() // sees it stand still
		if diff := cmp.Diff(s.want, l.take()); diff != "" {
			t.Errorf("%s: told (-want +got):\n%s", s.name, diff)
		}
	}
}

func TestAFileThatIsStillBeingWrittenWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(withMode("warn"))
	var l log
	w := watch(t, path, l.loaded)
	write(header) // half of it, and legal
	w.check()
	write(withMode("enforce"))
	w.check()
	w.check()
	if diff := cmp.Diff([]string{"warn", "enforce"}, l.take()); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestAWatcherDoesNotStartOnABadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	if _, err := NewWatcher(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := os.WriteFile(path, []byte("kind: x"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := NewWatcher(path)
	if !errors.As(err, new(*Error)) || !strings.HasPrefix(err.Error(), path+":1: kind must be ") {
		t.Errorf("a file that is not legal: %v", err)
	}
}

func TestAWatcherLooksByItselfUntilItIsEnded(t *testing.T) {
	v := mount(t, withMode("warn"))
	synctest.Test(t, func(t *testing.T) {
		told := make(chan Reload, 3)
		w := watch(t, v.path(), func(l Reload) { told <- l })
		<-told
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.Start(ctx) }()
		started := time.Now() // of the bubble's clock
		v.swap("..2026_01_01_00_01_00.2", withMode("enforce"))
		if got := <-told; got.Err != nil || got.Config.Defaults.Settings(validate.ModeOff).Mode != validate.ModeEnforce {
			t.Errorf("told %+v", got)
		}
		if took := time.Since(started); took != 2*Interval {
			t.Errorf("took %s, want two looks", took)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
