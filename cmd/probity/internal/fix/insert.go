package fix

import (
	"bytes"
	"errors"
	"strings"

	"github.com/probity-dev/probity/workload"
)

// editor holds the lines of a file, with their ends, and what is to be added
// behind each.
type editor struct {
	lines []string
	added map[int]string // by the number of the line before it, from 1
}

func splitLines(text []byte) []string {
	var lines []string
	for line := range bytes.Lines(text) {
		lines = append(lines, string(line))
	}
	return lines
}

var errLayout = errors.New("its livenessProbe does not stand in a block of its own (JSON, flow style or an alias)")

// insert adds a startup probe behind the liveness probe of a container.
func (e *editor) insert(d *workload.Document, op operation) error {
	line := d.Line(op.container + ".livenessProbe")
	if line < 1 || line > len(e.lines) {
		return errLayout
	}
	key := e.lines[line-1]
	column := strings.Index(key, "livenessProbe:")
	// Before the key there may be the dash of the list of containers.
	if column < 0 || strings.Trim(key[:column], " -") != "" || strings.Contains(key, "&") || strings.Contains(key, "*") {
		return errLayout
	}
	eol := "\n"
	if strings.HasSuffix(e.lines[0], "\r\n") {
		eol = "\r\n"
	}
	last := e.blockEnd(line, column)
	text := strings.Repeat(" ", column) + "startupProbe:\n"
	probe, err := blockYAML(op.probe, column+2)
	if err != nil {
		return err
	}
	if !strings.HasSuffix(e.lines[last-1], "\n") {
		text = "\n" + text
	}
	text = strings.ReplaceAll(text+probe, "\n", eol)
	switch before := e.added[last]; {
	case before == text: // containers that share a block by an anchor share the probe
	case before != "":
		return errLayout
	default:
		e.added[last] = text
	}
	return nil
}

// blockEnd returns the last line of the block below a key: those indented deeper,
// without blank ones at the end.
func (e *editor) blockEnd(line, column int) int {
	last := line
	for i := line; i < len(e.lines); i++ {
		text := strings.TrimRight(e.lines[i], " \t\r\n")
		if text == "" {
			continue
		}
		if indent := len(text) - len(strings.TrimLeft(text, " ")); indent <= column {
			break
		}
		last = i + 1
	}
	return last
}

func (e *editor) text() []byte {
	var b bytes.Buffer
	for i, line := range e.lines {
		b.WriteString(line)
		b.WriteString(e.added[i+1])
	}
	return b.Bytes()
}
