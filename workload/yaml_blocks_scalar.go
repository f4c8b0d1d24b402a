package workload

import "bytes"

// safe are the characters that mean nothing but themselves inside a key, and
// first those that a key may begin with.
var safe, first = func() (safe, first [256]bool) {
	for c := range 256 {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		digit := c >= '0' && c <= '9'
		first[c] = letter || c == '_' || c == '/'
		safe[c] = letter || digit || c == '_' || c == '/' || c == '.' || c == '-'
	}
	return safe, first
}()

// isKey reports whether a key stands at an offset of the line.
func (r *blockReader) isKey(at int) bool {
	end := r.keyEnd(at)
	return end > 0 && end < r.end && r.src[end] == ':' && (end+1 == r.end || r.src[end+1] == ' ')
}

// keyEnd returns where the key that begins at an offset ends, and 0 for what is
// no simple key.
func (r *blockReader) keyEnd(at int) int {
	switch c := r.src[at]; {
	case c == '"' || c == '\'':
		n := bytes.IndexByte(r.src[at+1:r.end], c)
		if n < 0 || n > maxKeyLength || bytes.IndexByte(r.src[at+1:at+1+n], '\\') >= 0 {
			return 0
		}
		if c == '\'' && bytes.IndexByte(r.src[at+1:at+1+n], '"') >= 0 {
			return 0
		}
		return at + n + 2
	case first[c]:
		end := at + 1
		for end < r.end && safe[r.src[end]] {
			end++
		}
		if end-at > maxKeyLength {
			return 0
		}
		if _, typ := yamlWord(string(r.src[at:end])); typ != scalarString {
			return 0
		}
		return end
	default:
		return 0
	}
}

// key writes the key at the line's position and its colon, and returns the
// offset behind the colon. base is where the keys of its mapping begin.
func (r *blockReader) key(base int) (int, bool) {
	if !r.isKey(r.pos) {
		return 0, false
	}
	end := r.keyEnd(r.pos)
	return end + 1, r.name(r.src[r.pos:end], base)
}

// name writes a key that keyEnd has found, unless its mapping has it already.
func (r *blockReader) name(key []byte, base int) bool {
	if c := key[0]; c == '"' || c == '\'' {
		key = key[1 : len(key)-1]
	}
	for _, k := range r.keys[base:] {
		if k.end-k.start == len(key) && bytes.Equal(r.json[k.start:k.end], key) {
			return false
		}
	}
	if len(r.keys)-base == maxBlockKeys {
		return false
	}
	start := len(r.json) + 1
	r.json = append(r.json, '"')
	r.json = append(r.json, key...)
	r.json = append(r.json, '"', ':')
	r.keys = append(r.keys, span{start, start + len(key)})
	return true
}

// scalar writes the value at an offset of the line and moves to the next line.
func (r *blockReader) scalar(at, indent int) bool {
	switch r.src[at] {
	case '"', '\'', '[', '{':
		at, ok := r.flow(at, 0)
		if !ok {
			return false
		}
		if _, more := r.rest(at); more {
			return false
		}
		r.next()
		return true
	case '|':
		return r.literal(at, indent)
	default:
		return r.plain(at)
	}
}

// plain writes a scalar without quotes that ends with the line.
func (r *blockReader) plain(at int) bool {
	switch c := r.src[at]; c {
	case '&', '*', '!', '>', '%', '@', '`', '#', ',', ']', '}', '?', ':', '|', '"', '\'', '[', '{':
		return false
	case '-':
		if r.dash(at) {
			return false
		}
	}
	end := r.end
	for i := at; i < end; i++ {
		switch r.src[i] {
		case ':':
			if i+1 == r.end || r.src[i+1] == ' ' {
				return false
			}
		case '#':
			if r.src[i-1] == ' ' {
				end = i
			}
		}
	}
	text := bytes.TrimRight(r.src[at:end], " ")
	var err error
	if r.json, _, err = appendPlain(r.json, text); err != nil {
		return false
	}
	r.next()
	return true
}

// literal writes a literal block scalar: the lines below a |.
func (r *blockReader) literal(at, indent int) bool {
	chomp := byte(0)
	header := bytes.TrimRight(r.src[at+1:r.end], " ")
	if len(header) == 1 && (header[0] == '-' || header[0] == '+') {
		chomp = header[0]
	} else if len(header) > 0 {
		return false
	}
	begin := min(r.end+1, len(r.src))
	column, ok := r.literalIndent(begin)
	if !ok || column <= indent || r.src[len(r.src)-1] != '\n' {
		return false
	}
	r.text = r.text[:0]
	for begin < len(r.src) {
		end := begin + bytes.IndexByte(r.src[begin:], '\n')
		line := r.src[begin:end]
		blank := len(bytes.TrimLeft(line, " ")) == 0
		if !blank && leading(line) < column {
			break
		}
		if len(line) > column {
			r.text = append(r.text, line[column:]...)
		}
		r.text = append(r.text, '\n')
		begin = end + 1
		r.line++
	}
	if chomp != '+' {
		r.text = bytes.TrimRight(r.text, "\n")
		if chomp == 0 {
			r.text = append(r.text, '\n')
		}
	}
	r.json = appendString(r.json, r.text)
	r.seek(begin)
	return true
}

// literalIndent returns the column of a literal block, which its first line that
// is not blank gives; blank lines before it must be no longer.
func (r *blockReader) literalIndent(begin int) (int, bool) {
	longest := 0
	for begin < len(r.src) {
		end := bytes.IndexByte(r.src[begin:], '\n')
		if end < 0 {
			return 0, false
		}
		line := r.src[begin : begin+end]
		if n := leading(line); n < len(line) {
			return n, n >= longest
		}
		longest = max(longest, len(line))
		begin += end + 1
	}
	return 0, false
}

// leading counts the blanks at a line's start.
func leading(line []byte) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}
