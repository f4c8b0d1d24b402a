package controlplane

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// reservedPort is a port of the loopback interface that stays with this process.
type reservedPort struct {
	number int
	socket *os.File
}

// reservePort picks a free port and binds it without listening there. A program
// that allows port sharing can then serve on it, also after a restart, while no
// other program is given the same port in between.
func reservePort() (*reservedPort, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, fmt.Errorf("reserve a port: %w", err)
	}
	unix.CloseOnExec(fd)
	socket := os.NewFile(uintptr(fd), "reserved port")
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		_ = socket.Close()
		return nil, fmt.Errorf("reserve a port: share it: %w", err)
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		_ = socket.Close()
		return nil, fmt.Errorf("reserve a port: bind: %w", err)
	}
	address, err := unix.Getsockname(fd)
	if err != nil {
		_ = socket.Close()
		return nil, fmt.Errorf("reserve a port: read its number: %w", err)
	}
	bound, ok := address.(*unix.SockaddrInet4)
	if !ok {
		_ = socket.Close()
		return nil, fmt.Errorf("reserve a port: bound to %T", address)
	}
	return &reservedPort{number: bound.Port, socket: socket}, nil
}

func (r *reservedPort) release() { _ = r.socket.Close() }
