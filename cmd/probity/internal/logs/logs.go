// Package logs keeps a log from holding up those who write to it.
package logs

import (
	"bytes"
	"io"
	"sync"
	"time"
)

const (
	// room is how many bytes wait for a reader that stands still: some thousand lines,
	// and little next to what reviews may take.
	room = 1 << 20
	// kept is the largest buffer that is used again, in bytes.
	kept = 64 << 10
)

// Writer hands lines over to another writer, and never waits for it. Whoever reads the
// log of a container may stand still, with its disk for example. A pipe is full after
// 64 KiB then, and the next line of the log would hold up the review that it is about,
// and all others. Instead up to a mebibyte of lines waits, and what goes beyond is lost
// and counted, as are lines that cannot be written.
type Writer struct {
	out io.Writer
	// told is called after lines were lost, once some could be written again.
	told  func(lines int)
	ended chan struct{}

	mu      sync.Mutex
	more    sync.Cond // there are lines, or the end
	pending []byte    // whole lines
	lost    int       // lines, ever
	closed  bool
}

// New returns a Writer to out. It calls told, which may write, with the number of lines
// that were lost since the last call, once out has taken lines again. Close ends it.
func New(out io.Writer, told func(lines int)) *Writer {
	w := &Writer{out: out, told: told, ended: make(chan struct{})}
	w.more.L = &w.mu
	go w.run()
	return w
}

// Write takes one line, or loses it. It does not keep the bytes, and never fails.
func (w *Writer) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || len(w.pending)+len(line) > room {
		w.lost++
		return len(line), nil
	}
	w.pending = append(w.pending, line...)
	w.more.Signal()
	return len(line), nil
}

// Lost returns the number of lines that were lost.
func (w *Writer) Lost() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost
}

// Close takes no more lines, and waits so long for those that it has to be written.
func (w *Writer) Close(patience time.Duration) {
	w.mu.Lock()
	w.closed = true
	w.more.Signal()
	w.mu.Unlock()
	select {
	case <-w.ended:
	case <-time.After(patience):
	}
}

func (w *Writer) run() {
	defer close(w.ended)
	var told int
	var lines []byte
	for {
		var lost int
		if lines, lost = w.next(lines); len(lines) == 0 {
			return
		}
		if _, err := w.out.Write(lines); err != nil {
			w.lose(bytes.Count(lines, []byte{'\n'}))
			continue
		}
		if lost > told {
			w.told(lost - told)
			told = lost
		}
	}
}

func (w *Writer) lose(lines int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost += lines
}

// next waits for lines, and returns all there are, or none at the end. It takes the
// lines before them, which are written, as a buffer.
func (w *Writer) next(before []byte) (lines []byte, lost int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.pending) == 0 && !w.closed {
		w.more.Wait()
	}
	if cap(before) > kept {
		before = nil
	}
	lines, w.pending = w.pending, before[:0]
	return lines, w.lost
}
