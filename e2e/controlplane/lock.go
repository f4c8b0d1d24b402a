package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// lockInterval is how often a folder that another process builds in is tried.
// A blocking lock could not be given up when the context ends.
const lockInterval = 200 * time.Millisecond

// LockFolder waits until no other process that calls it works in the folder, and tells
// out when it has to wait. What a process holds goes with it.
func LockFolder(ctx context.Context, dir string, out io.Writer) (unlock func(), err error) {
	return lockFolder(ctx, dir, newProgress(out))
}

// lockFolder waits until no other process builds in the folder. The kernel
// drops the lock with the process that holds it, so none stays behind.
func lockFolder(ctx context.Context, dir string, show *progress) (unlock func(), err error) {
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	// Closing the file drops the lock.
	unlock = func() { _ = file.Close() }
	held, err := tryLock(file)
	if err != nil {
		unlock()
		return nil, err
	}
	if held {
		return unlock, nil
	}

	defer show.step("Waiting for another process that builds in " + dir)()
	ticker := time.NewTicker(lockInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			unlock()
			return nil, fmt.Errorf("wait for another process that builds in %s: %w", dir, context.Cause(ctx))
		case <-ticker.C:
		}
		held, err := tryLock(file)
		if err != nil {
			unlock()
			return nil, err
		}
		if held {
			return unlock, nil
		}
	}
}

func tryLock(file *os.File) (held bool, err error) {
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	return true, nil
}
