//go:build node && linux

package isolate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const (
	prefix = "probity-node-"
	// lockFile is held while somebody is there who removes the folder.
	lockFile = "owner"
)

// run is what one run leaves on the machine while it lasts: a folder and control
// groups of the same name. All else is in namespaces, which go with their processes.
type run struct {
	dir    string
	groups groups
	lock   *os.File
}

// newRun makes the folder, and removes what runs left of which every process was
// killed.
func newRun() (*run, error) {
	all, err := hierarchies()
	if err != nil {
		return nil, err
	}
	removeAbandoned(all)
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, err
	}
	r := &run{dir: dir, groups: groups{filepath.Base(dir), all}}
	if err := r.own(); err != nil {
		return nil, errors.Join(err, r.remove())
	}
	return r, nil
}

// own takes the lock under another name first: another run that starts leaves a folder
// without the lock file alone, and takes one whose lock nobody holds for abandoned.
func (r *run) own() (err error) {
	unowned := filepath.Join(r.dir, lockFile+".new")
	if r.lock, err = os.Create(unowned); err != nil {
		return err
	}
	if err := syscall.Flock(int(r.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return fmt.Errorf("lock %s: %w", unowned, err)
	}
	return os.Rename(unowned, filepath.Join(r.dir, lockFile))
}

// openRun is newRun for a process that shares the run, with the lock that it inherited.
func openRun(dir string, lock *os.File) (*run, error) {
	all, err := hierarchies()
	return &run{dir: dir, groups: groups{filepath.Base(dir), all}, lock: lock}, err
}

// remove kills what still runs and removes everything. A second call does nothing.
func (r *run) remove() error {
	err := r.groups.remove()
	return errors.Join(err, os.RemoveAll(r.dir))
}

// removeAbandoned does what it can: what stays is tried next time. A run that another
// user, or another temporary folder, keeps alive is left alone.
func removeAbandoned(all []hierarchy) {
	locks, err := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*", lockFile))
	if err != nil {
		return // Only of a bad pattern; then none is found.
	}
	for _, path := range locks {
		lock, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			dir := filepath.Dir(path)
			_ = (&run{dir: dir, groups: groups{filepath.Base(dir), all}}).remove()
		}
		_ = lock.Close()
	}
}
