package controlplane

import "syscall"

// childAttributes puts a child in a process group of its own, so that Ctrl-C
// in a terminal reaches only the parent, which stops its children in order. The
// kernel kills the child when the parent is gone, even by SIGKILL.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
