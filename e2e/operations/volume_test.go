package operations

import (
	"os"
	"path/filepath"
	"strconv"
)

const fileName = "config.yaml"

// volume is a folder as the kubelet mounts a ConfigMap: the file is a symbolic link
// into ..data, which is one to a folder of this version, and is swapped at once.
type volume struct {
	dir     string
	version int
}

func (v *volume) put(text string) error {
	old := "..v" + strconv.Itoa(v.version)
	v.version++
	now := "..v" + strconv.Itoa(v.version)
	if err := os.Mkdir(filepath.Join(v.dir, now), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(v.dir, now, fileName), []byte(text), 0o600); err != nil {
		return err
	}
	if err := os.Symlink(now, filepath.Join(v.dir, "..data_tmp")); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(v.dir, "..data_tmp"), filepath.Join(v.dir, "..data")); err != nil {
		return err
	}
	if v.version == 1 {
		return os.Symlink(filepath.Join("..data", fileName), filepath.Join(v.dir, fileName))
	}
	return os.RemoveAll(filepath.Join(v.dir, old))
}

const (
	header   = "apiVersion: probity.dev/v1alpha1\nkind: Configuration\n"
	harmless = header
)
