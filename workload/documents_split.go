package workload

import (
	"bytes"
	"encoding/binary"
	"iter"
	"unicode/utf16"
)

// Chunk is the text of one YAML document, or of a JSON file.
type Chunk struct {
	File string
	// Line is the first line's number in the file.
	Line int
	// Offset is where Data begins in UTF8 of the file.
	Offset int
	Data   []byte
}

// Split cuts a file at its document markers, by lines alone: a marker at the
// start of a line is content nowhere in YAML, so that a document which cannot be
// parsed does not hide those after it, and documents can be read in parallel.
func Split(name string, data []byte) iter.Seq[Chunk] {
	data = UTF8(data)
	return func(yield func(Chunk) bool) {
		s := splitter{chunk: Chunk{File: name, Line: 1}, data: data}
		for s.next() {
			if !yield(s.found) {
				return
			}
		}
	}
}

// splitter walks over lines and keeps the chunk that is open.
type splitter struct {
	data []byte
	// start and pos are where the open chunk and the next line begin.
	start, pos int
	line       int // of pos, counted from 0
	chunk      Chunk
	content    bool // the open chunk holds more than blanks, comments and directives
	found      Chunk
}

// next moves to the end of the next chunk that holds anything.
func (s *splitter) next() bool {
	for s.pos < len(s.data) {
		line := s.data[s.pos:]
		end := len(s.data)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, end = line[:i], s.pos+i+1
		}
		at := s.pos
		s.pos = end
		s.line++
		switch {
		case isMarker(line, "---"):
			if done := s.content; done {
				s.cut(at, at, s.line)
				s.content = true
				return true
			}
			s.content = true
		case isMarker(line, "..."):
			if done := s.content; done {
				s.cut(at, end, s.line+1)
				return true
			}
			s.cut(at, end, s.line+1)
		case !s.content:
			s.content = !isPrologue(line)
		}
	}
	if !s.content {
		return false
	}
	s.cut(len(s.data), len(s.data), 0)
	return true
}

// cut closes the open chunk at end and opens one at start, on that line.
func (s *splitter) cut(end, start, line int) {
	s.found = s.chunk
	s.found.Offset, s.found.Data = s.start, s.data[s.start:end:end]
	s.start, s.content = start, false
	s.chunk.Line = line
}

// isMarker reports whether the line is the marker, alone or with text behind a
// blank.
func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r')
}

// isPrologue reports whether the line may stand before the document marker:
// blank, a comment or a directive.
func isPrologue(line []byte) bool {
	text := bytes.TrimLeft(line, " \t\r")
	return len(text) == 0 || text[0] == '#' || line[0] == '%'
}

var (
	bomOnLine  = []byte("\n\xef\xbb\xbf")
	bomUTF8    = []byte("\xef\xbb\xbf")
	bomUTF16LE = []byte("\xff\xfe")
	bomUTF16BE = []byte("\xfe\xff")
)

// UTF8 returns a text without byte order marks, which stand at the start of lines
// too where files with one have been joined; UTF-16, which PowerShell writes on
// redirection, becomes UTF-8.
func UTF8(data []byte) []byte {
	switch {
	case bytes.HasPrefix(data, bomUTF16LE):
		return fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, bomUTF16BE):
		return fromUTF16(data[2:], binary.BigEndian)
	}
	data, _ = bytes.CutPrefix(data, bomUTF8)
	if bytes.Contains(data, bomOnLine) {
		return bytes.ReplaceAll(data, bomOnLine, []byte("\n"))
	}
	return data
}

func fromUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}
