package workload

import (
	"bytes"
	"unicode/utf8"
)

// Almost every manifest is written in a small part of YAML: blocks, simple keys,
// scalars on one line, literal blocks, flow collections on one line. readBlocks
// reads that part straight into JSON, many times faster than the general parser.
// Whatever it does not know for certain it leaves alone, and readYAML reads the
// document instead; so it reports no error of its own. FuzzBlocks holds the two
// to the same result.

const (
	// maxBlockDepth and maxBlockKeys bound what is read here; beyond them the
	// general parser decides.
	maxBlockDepth = 64
	maxBlockKeys  = 64
	maxKeyLength  = 128
)

// readBlocks returns false for a document that it cannot read.
func readBlocks(text []byte, firstLine int) (*tree, bool) {
	if !plainText(text) {
		return nil, false
	}
	r := blockReader{src: text, end: -1, line: firstLine - 1}
	r.json = make([]byte, 0, len(text)+len(text)/8)
	r.marks = make([]mark, 0, len(text)/24+1)
	r.next()
	if r.indent == 0 && isMarker(r.src[r.pos:r.end], "---") {
		if rest := bytes.TrimLeft(r.src[r.pos+3:r.end], " "); len(rest) > 0 && rest[0] != '#' {
			return nil, false
		}
		r.next()
	}
	if r.indent < 0 {
		return nil, true
	}
	first := r.line
	if !r.block(0) || r.indent >= 0 {
		return nil, false
	}
	return &tree{json: r.json, line: first, marks: r.marks}, true
}

// plainText reports whether the text is free of characters that YAML treats in
// a way of its own: control characters, tabs, carriage returns, Unicode's line
// breaks, what is not printable.
func plainText(text []byte) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= 0x20 && c < 0x7f || c == '\n' {
			continue
		}
		if c < 0x80 {
			return false
		}
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError, r < 0xa0, r == '\u2028', r == '\u2029', r == '\ufeff', r >= 0xfffe && r <= 0xffff:
			return false
		}
		i += size - 1
	}
	return true
}

// blockReader stands on a line with content: src[pos:end] is the line from its
// first character that is not a blank, which is at column indent.
type blockReader struct {
	src      []byte
	pos, end int
	indent   int // -1 behind the last line
	line     int

	json  []byte
	marks []mark
	// keys are those of the mappings that are open.
	keys []span
	text []byte // of a literal block
}

// span is a part of the JSON.
type span struct{ start, end int }

// next moves to the next line that is neither blank nor a comment.
func (r *blockReader) next() { r.seek(r.end + 1) }

// seek moves to the first line with content that begins at an offset or later.
func (r *blockReader) seek(at int) {
	for at < len(r.src) {
		r.line++
		end := len(r.src)
		if i := bytes.IndexByte(r.src[at:], '\n'); i >= 0 {
			end = at + i
		}
		pos := at
		for pos < end && r.src[pos] == ' ' {
			pos++
		}
		if pos < end && r.src[pos] != '#' {
			r.pos, r.end, r.indent = pos, end, pos-at
			return
		}
		at = end + 1
	}
	r.indent = -1
}

func (r *blockReader) mark() {
	r.marks = append(r.marks, markAt(len(r.json), r.line))
}

// dash reports whether a sequence's item begins at an offset of the line.
func (r *blockReader) dash(at int) bool {
	return at < r.end && r.src[at] == '-' && (at+1 == r.end || r.src[at+1] == ' ')
}

// rest returns where the content behind an offset begins, and false when only
// blanks and a comment follow.
func (r *blockReader) rest(at int) (int, bool) {
	from := at
	for at < r.end && r.src[at] == ' ' {
		at++
	}
	if at == r.end || r.src[at] == '#' && at > from {
		return r.end, false
	}
	return at, true
}

// block reads the collection that begins on the line.
func (r *blockReader) block(depth int) bool {
	if depth > maxBlockDepth {
		return false
	}
	if r.dash(r.pos) {
		return r.sequence(depth)
	}
	return r.mapping(depth)
}

func (r *blockReader) sequence(depth int) bool {
	indent := r.indent
	r.json = append(r.json, '[')
	for {
		if !r.item(indent, depth) {
			return false
		}
		if r.indent > indent {
			return false
		}
		if r.indent < indent || !r.dash(r.pos) {
			break
		}
		r.json = append(r.json, ',')
	}
	r.json = append(r.json, ']')
	return true
}

// item reads what stands behind a dash.
func (r *blockReader) item(indent, depth int) bool {
	at, inline := r.rest(r.pos + 1)
	if !inline {
		line := r.line
		r.next()
		if r.indent <= indent {
			r.marks = append(r.marks, markAt(len(r.json), line))
			r.json = append(r.json, "null"...)
			return true
		}
		r.mark()
		return r.block(depth + 1)
	}
	r.mark()
	if r.dash(at) || r.isKey(at) {
		r.indent += at - r.pos
		r.pos = at
		return r.block(depth + 1)
	}
	return r.scalar(at, indent)
}

func (r *blockReader) mapping(depth int) bool {
	indent, base := r.indent, len(r.keys)
	r.json = append(r.json, '{')
	for {
		r.mark()
		at, ok := r.key(base)
		if !ok || !r.member(at, indent, depth) {
			return false
		}
		if r.indent > indent {
			return false
		}
		if r.indent < indent {
			break
		}
		r.json = append(r.json, ',')
	}
	r.keys = r.keys[:base]
	r.json = append(r.json, '}')
	return true
}

// member reads the value of a key whose colon is before the offset.
func (r *blockReader) member(at, indent, depth int) bool {
	at, inline := r.rest(at)
	if inline {
		return r.scalar(at, indent)
	}
	r.next()
	switch {
	case r.indent > indent:
		return r.block(depth + 1)
	case r.indent == indent && r.dash(r.pos):
		return r.sequence(depth + 1)
	default:
		r.json = append(r.json, "null"...)
		return true
	}
}
