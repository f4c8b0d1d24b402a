//go:build !linux

package controlplane

import "syscall"

// childAttributes puts a child in a process group of its own, so that Ctrl-C
// in a terminal reaches only the parent, which stops its children in order. Only
// Linux can also end the child with a parent that was killed by SIGKILL.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
