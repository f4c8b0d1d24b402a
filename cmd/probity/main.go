// Command probity keeps Kubernetes health probes honest: at admission, in files
// and in a cluster. It is also the kubectl plugin `kubectl probity`.
package main

import (
	"os"
	"runtime"

	"golang.org/x/term"
)

func main() {
	// Nobody can ask for the profile of allocations, which grows with the heap.
	runtime.MemProfileRate = 0
	p := program{
		name:   calledAs(os.Args[0]),
		stdin:  os.Stdin,
		stdout: stream{Writer: os.Stdout, columns: columns(os.Stdout)},
		stderr: stream{Writer: os.Stderr, columns: columns(os.Stderr)},
		getenv: os.Getenv,
	}
	os.Exit(p.run(os.Args[1:]))
}

// columns returns the width of a terminal, and 0 for what is none.
func columns(f *os.File) int {
	if !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		return 80
	}
	return width
}
