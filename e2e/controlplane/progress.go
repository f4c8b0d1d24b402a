package controlplane

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progress tells what Build does: on a terminal one line that is kept up to
// date, elsewhere a line for each step.
type progress struct {
	out  io.Writer
	live bool
}

func newProgress(out io.Writer) *progress {
	file, ok := out.(*os.File)
	return &progress{out: out, live: ok && term.IsTerminal(int(file.Fd()))}
}

// line prints a line that stays.
func (p *progress) line(format string, args ...any) {
	fmt.Fprintf(p.out, format+"\n", args...)
}

// step announces something that takes long. On a terminal it shows the time
// that has passed, until the returned function is called, which wipes the line.
func (p *progress) step(text string) (done func()) {
	if !p.live {
		p.line("%s", text)
		return func() {}
	}
	begin := time.Now()
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			fmt.Fprintf(p.out, "\r\x1b[K%s, %s", text, seconds(time.Since(begin)))
			select {
			case <-ticker.C:
			case <-stop:
				fmt.Fprint(p.out, "\r\x1b[K")
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

// seconds writes a duration as a person reads it from a clock: 4m12s.
func seconds(d time.Duration) string { return d.Round(time.Second).String() }
