package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/probity-dev/probity/cmd/probity/internal/report"
)

// Exit statuses.
const (
	// exitClean: nothing was denied.
	exitClean = 0
	// exitDenied: something was denied, or warned about with --fail-on warn.
	exitDenied = 1
	// exitUnusable: bad usage, or input that could not be read. Everything else
	// was judged all the same. It goes before exitDenied: what could not be read
	// may be worse.
	exitUnusable = 2
)

// program is Probity with its surroundings.
type program struct {
	// name is what the user calls it: "probity" or "kubectl probity".
	name           string
	stdin          io.Reader
	stdout, stderr stream
	getenv         func(string) string
	// now is the clock by which exemptions end; nil means the system's.
	now func() time.Time
}

func (p program) clock() time.Time {
	if p.now == nil {
		return time.Now()
	}
	return p.now()
}

// stream is an output. columns is a terminal's width; 0: no terminal.
type stream struct {
	io.Writer
	columns int
}

// exitStatus is an error that has been reported already.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// run executes a command line and returns the exit status.
func (p program) run(args []string) int {
	root := newRoot(p)
	root.SetArgs(args)
	command, err := root.ExecuteC()
	var status exitStatus
	switch {
	case err == nil:
		return exitClean
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintf(p.stderr, "%s: %s\n", p.name, report.Safe(err.Error()))
	if errors.As(err, new(usageError)) {
		fmt.Fprintf(p.stderr, "`%s --help` says what is legal.\n", command.CommandPath())
	}
	return exitUnusable
}

// usageError is a command line that is not legal.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// calledAs returns what the user calls the program of that path: kubectl runs
// kubectl-probity for `kubectl probity`.
func calledAs(path string) string {
	base := strings.TrimSuffix(filepath.Base(path), ".exe")
	if plugin, ok := strings.CutPrefix(base, "kubectl-"); ok {
		return "kubectl " + strings.ReplaceAll(plugin, "_", "-")
	}
	return "probity"
}

// output is what a renderer needs to know of standard output. NO_COLOR is
// honoured with any value (no-color.org).
func (p program) output() report.Output {
	return report.Output{
		Writer:  p.stdout,
		Colour:  p.stdout.columns > 0 && p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb",
		Width:   min(p.stdout.columns, maxColumns),
		Version: buildVersion().Version,
	}
}

// maxColumns keeps prose readable on a wide terminal.
const maxColumns = 110
