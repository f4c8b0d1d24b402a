//go:build !linux

package install

import "syscall"

func childAttributes() *syscall.SysProcAttr { return nil }
