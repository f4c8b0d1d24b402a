package logs_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/cmd/probity/internal/logs"
)

func TestLinesComeInOrder(t *testing.T) {
	var out bytes.Buffer
	w := logs.New(&out, func(int) { t.Error("lines were lost") })
	var want strings.Builder
	line := make([]byte, 0, 20)
	for i := range 1000 {
		line = fmt.Appendf(line[:0], "line %d\n", i)
		want.Write(line)
		if n, err := w.Write(line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
		clear(line) // It is the caller's again.
	}
	w.Close(time.Minute)
	if diff := cmp.Diff(want.String(), out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestAReaderThatStandsStill: nobody waits, no line is half there, and each is either
// read or counted as lost.
func TestAReaderThatStandsStill(t *testing.T) {
	const writers, each = 4, 2000
	in, out := io.Pipe()
	told := make(chan int, 1)
	var w *logs.Writer
	w = logs.New(out, func(lines int) {
		fmt.Fprintf(w, "%d lost\n", lines)
		told <- lines
	})
	line := []byte(strings.Repeat("x", 999) + "\n")
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				if n, err := w.Write(line); n != len(line) || err != nil {
					t.Error(n, err)
				}
			}
		})
	}
	all.Wait()
	lost := w.Lost()
	if lost == 0 || lost >= writers*each {
		t.Fatalf("%d of %d lines were lost", lost, writers*each)
	}
	lines := bufio.NewScanner(in)
	for range writers*each - lost {
		if !lines.Scan() || lines.Text() != string(line[:len(line)-1]) {
			t.Fatalf("%q, %v", lines.Text(), lines.Err())
		}
	}
	if got := <-told; got != lost {
		t.Errorf("%d lines were lost, and it told of %d", lost, got)
	}
	if !lines.Scan() || lines.Text() != fmt.Sprintf("%d lost", lost) {
		t.Errorf("what tells of lost lines is not written: %q, %v", lines.Text(), lines.Err())
	}
	if _, err := w.Write(line); err != nil || w.Lost() != lost {
		t.Errorf("there is room again, and a line was lost: %v", err)
	}
	if !lines.Scan() {
		t.Error(lines.Err())
	}
	w.Close(time.Minute)
}

// TestTheEndDoesNotWaitForever, and what is written after it is lost.
func TestTheEndDoesNotWaitForever(t *testing.T) {
	_, out := io.Pipe() // Nobody reads it.
	w := logs.New(out, func(int) {})
	for range 3 {
		if _, err := w.Write([]byte("last words\n")); err != nil {
			t.Fatal(err)
		}
	}
	w.Close(time.Millisecond)
	if _, err := w.Write([]byte("more\n")); err != nil || w.Lost() != 1 {
		t.Errorf("%d lines were lost, %v", w.Lost(), err)
	}
	if err := out.CloseWithError(errors.New("gone")); err != nil {
		t.Fatal(err)
	}
	w.Close(time.Minute)
}

// failing takes nothing before it is mended.
type failing struct {
	mended atomic.Bool
	taken  bytes.Buffer
	tries  chan struct{}
}

func (f *failing) Write(p []byte) (int, error) {
	if !f.mended.Load() {
		f.tries <- struct{}{}
		return 0, errors.New("no space left on device")
	}
	return f.taken.Write(p)
}

func TestLinesThatCannotBeWrittenAreLost(t *testing.T) {
	out := &failing{tries: make(chan struct{})}
	var w *logs.Writer
	told := make(chan struct{})
	w = logs.New(out, func(lines int) {
		fmt.Fprintf(w, "%d lost\n", lines)
		close(told)
	})
	write := func(text string) {
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		write("line\n")
		<-out.tries
		for w.Lost() <= i {
			runtime.Gosched()
		}
	}
	out.mended.Store(true)
	write("back\n")
	<-told
	w.Close(time.Minute)
	if got, want := out.taken.String(), "back\n3 lost\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
