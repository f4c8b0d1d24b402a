package controlplane

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// probeInterval is how often a starting program is asked whether it is ready.
	probeInterval = 25 * time.Millisecond
	// probeTimeout bounds one such question.
	probeTimeout = 5 * time.Second
	// logTail is how much of a program's log an error quotes, in bytes.
	logTail = 2000
)

// process is a running program of the control plane.
type process struct {
	name   string
	log    string // path of what it prints
	cmd    *exec.Cmd
	exited chan struct{} // closed when it has ended; err is set then
	err    error

	stopping atomic.Bool // its end is wanted
}

// startProcess runs a program in a folder, its output in a log file there. An
// existing log is continued.
func startProcess(dir, path string, args []string) (*process, error) {
	name := filepath.Base(path)
	p := &process{name: name, log: filepath.Join(dir, name+".log"), exited: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	p.cmd = exec.Command(path, args...)
	p.cmd.Dir = dir
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = childAttributes()

	started := make(chan error)
	go func() {
		defer log.Close()
		// Linux sends the signal for a dead parent when the thread that started
		// the child ends, so that thread waits here for the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return p, nil
}

// waitReady asks until the question has no error. It gives up when the program
// ends or the context does, and then quotes the program's log.
func (p *process) waitReady(ctx context.Context, ready func(context.Context) error) error {
	ticker := newProbeTicker()
	defer ticker.Stop()
	for {
		probe, cancel := context.WithTimeout(ctx, probeTimeout)
		err := ready(probe)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return p.endError()
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return context.Cause(ctx) // The program did nothing wrong.
			}
			return fmt.Errorf("%s is not ready (%w): %w; its log ends with:\n%s", p.name, context.Cause(ctx), err, p.tail())
		case <-ticker.C:
		}
	}
}

func newProbeTicker() *time.Ticker { return time.NewTicker(probeInterval) }

// endError tells that the program ended by itself.
func (p *process) endError() error {
	reason := "it exited without an error"
	if p.err != nil {
		reason = p.err.Error()
	}
	return fmt.Errorf("%s ended by itself: %s; its log ends with:\n%s", p.name, reason, p.tail())
}

// tail returns the end of the log, from the start of a line.
func (p *process) tail() []byte {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return []byte(err.Error())
	}
	if len(text) > logTail {
		text = text[len(text)-logTail:]
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return bytes.TrimSpace(text)
}

// stop kills the program and waits for its end. A request to end would have the
// API server wait a minute for its watchers, to save what is thrown away.
func (p *process) stop() error {
	p.stopping.Store(true)
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.name, err)
	}
	<-p.exited
	return nil
}

// signal sends a signal such as SIGSTOP, which the program cannot refuse.
func (p *process) signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("send %s to %s: %w", s, p.name, err)
	}
	return nil
}

// killGroup kills a process that was started with childAttributes, and its children.
func killGroup(pid int) error {
	err := syscall.Kill(-pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
