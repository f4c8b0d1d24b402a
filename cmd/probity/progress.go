package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/probity-dev/probity/cmd/probity/internal/report"
)

const (
	// progressAfter is how long work may take before it is worth a word.
	progressAfter = time.Second
	progressEvery = 100 * time.Millisecond
)

// progress is a line on a terminal that says how far the work is. On anything
// but a terminal only notes are written.
type progress struct {
	out stream

	mu    sync.Mutex
	next  time.Time
	shown bool
}

func newProgress(out stream) *progress {
	return &progress{out: out, next: time.Now().Add(progressAfter)}
}

// show writes the line, unless it has just done so.
func (p *progress) show(objects, files int) {
	p.say("checking: %s in %s", report.Count(objects, "object"), report.Count(files, "file"))
}

func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.out.columns == 0 || time.Now().Before(p.next) {
		return
	}
	p.next = time.Now().Add(progressEvery)
	p.shown = true
	fmt.Fprintf(p.out, "\r\x1b[K"+format, args...)
}

// clear takes the line away, before something else is written.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hide()
}

func (p *progress) hide() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}

// note tells what the user should know beside the result.
func (p *progress) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hide()
	fmt.Fprintf(p.out, "note: %s\n", report.Safe(text))
}
