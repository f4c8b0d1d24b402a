package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Start starts the program and waits until it is ready. One that runs is left
// alone.
func (p *Probity) Start(ctx context.Context) error {
	if err := p.Launch(); err != nil {
		return err
	}
	ended := p.Ended()
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := p.Ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ended:
			return fmt.Errorf("probity ended while it started; its log says:\n%s", p.tail())
		case <-ctx.Done():
			return fmt.Errorf("probity did not get ready: %w; its log says:\n%s", err, p.tail())
		case <-tick.C:
		}
	}
}

// Pause makes the program stand still, with all that it holds, until Resume.
func (p *Probity) Pause() error { return p.signal(syscall.SIGSTOP) }

// Resume lets the program go on.
func (p *Probity) Resume() error { return p.signal(syscall.SIGCONT) }

func (p *Probity) signal(s syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process == nil {
		return errors.New("probity does not run")
	}
	return p.process.Process.Signal(s)
}

// PID is the program's process id, 0 when none runs.
func (p *Probity) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process == nil {
		return 0
	}
	return p.process.Process.Pid
}

// Ended is closed when the program that runs now has ended. Nothing starts another one
// by itself: call Stop, then Start or Launch.
func (p *Probity) Ended() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// Launch is Start that waits for nothing, as a kubelet starts a container.
func (p *Probity) Launch() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process != nil {
		return nil
	}
	log, err := os.OpenFile(p.LogPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	cmd := exec.Command(p.options.Binary, p.args...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = childAttributes()
	if err := cmd.Start(); err != nil {
		return errors.Join(fmt.Errorf("start probity: %w", err), log.Close())
	}
	p.process, p.log, p.done = cmd, log, make(chan struct{})
	go func(done chan struct{}) {
		_ = cmd.Wait() // how it ended is told by its log
		close(done)
	}(p.done)
	return nil
}

// Stop ends the program as the kubelet does, with SIGTERM, and waits for it. A
// second call does nothing.
func (p *Probity) Stop() error { return p.end(syscall.SIGTERM) }

// Kill ends the program with SIGKILL.
func (p *Probity) Kill() error { return p.end(syscall.SIGKILL) }

func (p *Probity) end(signal syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process == nil {
		return nil
	}
	err := p.process.Process.Signal(signal)
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	<-p.done
	err = errors.Join(err, p.log.Close())
	p.process = nil
	return err
}
