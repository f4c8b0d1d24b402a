package controlplane

import (
	"os"
	"path/filepath"
)

const (
	folderPrefix = "probity-control-plane-"
	// ownerLock is a file in the folder that its owner holds a lock on. The
	// kernel drops the lock with the owner, however that ends.
	ownerLock = "owner"
)

// folder is where a control plane keeps its data and logs.
type folder struct {
	path string
	lock *os.File
}

// newFolder makes a temporary folder, and removes those of owners that were
// killed: each holds more than a hundred megabytes that etcd allocates.
func newFolder() (*folder, error) {
	removeAbandoned(os.TempDir())
	path, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return nil, err
	}
	f := &folder{path: path}
	if err := f.own(); err != nil {
		return nil, f.remove(err)
	}
	return f, nil
}

// own takes the lock under another name first: a folder without the lock file
// is left alone, one with a file that nobody holds is taken for abandoned.
func (f *folder) own() error {
	unowned := filepath.Join(f.path, ownerLock+".new")
	var err error
	if f.lock, err = os.Create(unowned); err != nil {
		return err
	}
	if _, err := tryLock(f.lock); err != nil {
		return err
	}
	return os.Rename(unowned, filepath.Join(f.path, ownerLock))
}

// remove removes the folder. It returns the given error, or its own.
func (f *folder) remove(reason error) error {
	err := os.RemoveAll(f.path)
	if f.lock != nil {
		_ = f.lock.Close()
	}
	if reason != nil {
		return reason
	}
	return err
}

// removeAbandoned does what it can: a folder that stays is tried next time.
func removeAbandoned(parent string) {
	locks, err := filepath.Glob(filepath.Join(parent, folderPrefix+"*", ownerLock))
	if err != nil {
		return // Only of a bad pattern; then none is found.
	}
	for _, path := range locks {
		lock, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue // Removed since, or somebody else's.
		}
		if held, err := tryLock(lock); err == nil && held {
			_ = os.RemoveAll(filepath.Dir(path))
		}
		_ = lock.Close()
	}
}
