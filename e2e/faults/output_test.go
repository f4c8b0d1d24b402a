package faults

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

// onAFullDisk runs a program that cannot write a byte to any file: it gets a signal
// that ends it when it tries. Its log goes through a pipe.
const onAFullDisk = `exec 3> >(exec cat >&2)
ulimit -f 0
exec "$PROBITY" "$@" >&3 2>&3 3>&-
`

// withoutReader runs a program whose log nobody reads any more: it gets a signal that
// ends it, and is ignored where it is known to come, when it writes.
const withoutReader = `exec 3> >(exec true)
wait $!
exec "$PROBITY" "$@" >&3 2>&3 3>&-
`

// TestNothingCanBeWritten: a replica needs not to.
func TestNothingCanBeWritten(t *testing.T) {
	for _, tt := range []struct{ name, script string }{
		{"the disk is full", onAFullDisk},
		{"the reader of the log has gone", withoutReader},
	} {
		t.Run(tt.name, func(t *testing.T) {
			borrow(t)
			r := started(t, tt.script)
			s := newSpace(t, local)
			s.stillJudged(tt.name)
			if r.ends.Load() > 0 {
				t.Error("it ended meanwhile")
			}
		})
	}
}

// TestNobodyReadsTheLog: whoever reads it stands still, and no review waits for that.
func TestNobodyReadsTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	// Open for both, or the program's own opening would wait for a reader.
	log, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	borrow(t)
	r := started(t, `exec "$PROBITY" "$@" 2>`+path)
	s := newSpace(t, local)
	const requests = 600 // each has a line, and a pipe takes 64 KiB of them
	for asked := range requests {
		if !s.judges("while nobody reads the log") {
			t.Fatalf("request %d was not judged", asked+1)
		}
	}
	if err := r.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	if lost := metric(t.Context(), r.Probity, "probity_log_lines_lost_total", nil); lost != 0 {
		t.Errorf("%v lines were lost, though there was room for all", lost)
	}
	if err := log.SetReadDeadline(time.Now().Add(suite.Patience)); err != nil {
		t.Fatal(err)
	}
	for lines, read := 0, bufio.NewReader(log); lines < requests; {
		line, err := read.ReadString('\n')
		if err != nil {
			t.Fatalf("after %d lines of %d refusals: %v", lines, requests, err)
		}
		if !json.Valid([]byte(line)) {
			t.Errorf("no line of the log: %q", line)
		}
		if strings.Contains(line, `"decision":"deny"`) {
			lines++
		}
	}
	if r.ends.Load() > 0 {
		t.Error("it ended meanwhile")
	}
}

// started installs a replica that a script starts, as $PROBITY "$@".
func started(t *testing.T, script string) *replica {
	t.Helper()
	path := filepath.Join(t.TempDir(), "probity")
	text := strings.ReplaceAll("#!/bin/bash\n"+script, "$PROBITY", local.Binary)
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return keep(t, suite.NewBalancer(t), func(call string) (*install.Probity, error) {
		return install.Install(t.Context(), local.ControlPlane, install.Options{
			Binary: path, Manifests: filepath.Join(local.Repository, "manifests", "base"), Args: arguments(), Call: call,
		})
	})
}
