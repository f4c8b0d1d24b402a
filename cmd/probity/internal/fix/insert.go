package fix

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/probity-dev/probity/workload"
)

// editor holds the text of a file and what is to be added to it.
type editor struct {
	text []byte
	// lines are where the lines of the text begin.
	lines []int
	eol   string
	added map[int]string // by offset in the text
}

func newEditor(text []byte) *editor {
	e := &editor{text: text, eol: "\n", added: map[int]string{}}
	at := 0
	for line := range bytes.Lines(text) {
		e.lines = append(e.lines, at)
		at += len(line)
	}
	if len(e.lines) > 0 && strings.HasSuffix(e.line(1), "\r\n") {
		e.eol = "\r\n"
	}
	return e
}

// line returns a line with its end, counted from 1.
func (e *editor) line(n int) string {
	end := len(e.text)
	if n < len(e.lines) {
		end = e.lines[n]
	}
	return string(e.text[e.lines[n-1]:end])
}

var (
	errLayout = errors.New("the text is laid out in a way that a probe cannot be added to")
	errShared = errors.New("what stands there is shared by an anchor with something that gets another probe, or none")
)

// insert adds a startup probe behind the liveness probe of a container.
func (e *editor) insert(c workload.Chunk, d *workload.Document, op operation) error {
	at, err := e.find(c, d, op)
	if err != nil {
		return err
	}
	var text string
	if at.flow {
		text, err = e.flow(at, op)
	} else {
		text, err = e.block(at, op)
	}
	if err != nil {
		return err
	}
	switch before := e.added[at.end]; {
	case before == text: // containers that share a block by an anchor share the probe
	case before != "":
		return errShared
	default:
		e.added[at.end] = text
	}
	return nil
}

// block writes a probe in lines of its own.
func (e *editor) block(at spot, op operation) (string, error) {
	text := strings.Repeat(" ", at.column) + "startupProbe:\n"
	probe, err := blockYAML(op.probe, at.column+2)
	if err != nil {
		return "", err
	}
	if at.end > 0 && e.text[at.end-1] != '\n' {
		text = "\n" + text
	}
	return strings.ReplaceAll(text+probe, "\n", e.eol), nil
}

// blockEnd returns the offset behind the block below a key: the lines indented
// deeper, without blank ones at the end.
func (e *editor) blockEnd(line, column int) int {
	last := line
	for n := line + 1; n <= len(e.lines); n++ {
		text := strings.TrimRight(e.line(n), " \t\r\n")
		if text == "" {
			continue
		}
		if indent := len(text) - len(strings.TrimLeft(text, " ")); indent <= column {
			break
		}
		last = n
	}
	return e.lines[last-1] + len(e.line(last))
}

// result returns the text with all that was added.
func (e *editor) result() []byte {
	var b bytes.Buffer
	from := 0
	offsets := make([]int, 0, len(e.added))
	for at := range e.added {
		offsets = append(offsets, at)
	}
	slices.Sort(offsets)
	for _, at := range offsets {
		b.Write(e.text[from:at])
		b.WriteString(e.added[at])
		from = at
	}
	b.Write(e.text[from:])
	return b.Bytes()
}
