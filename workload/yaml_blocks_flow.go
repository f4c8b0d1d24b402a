package workload

import "bytes"

// maxFlowDepth bounds flow collections read by blockReader.
const maxFlowDepth = 16

// flow writes a quoted scalar or a flow collection that ends on its line, and
// returns the offset behind it.
func (r *blockReader) flow(at, depth int) (int, bool) {
	if at >= r.end || depth > maxFlowDepth {
		return 0, false
	}
	switch r.src[at] {
	case '"':
		return r.doubleQuoted(at)
	case '\'':
		return r.singleQuoted(at)
	case '[':
		return r.flowSequence(at, depth)
	case '{':
		return r.flowMapping(at, depth)
	default:
		return r.flowPlain(at)
	}
}

func (r *blockReader) blanks(at int) int {
	for at < r.end && r.src[at] == ' ' {
		at++
	}
	return at
}

func (r *blockReader) flowSequence(at, depth int) (int, bool) {
	r.json = append(r.json, '[')
	at = r.blanks(at + 1)
	if at < r.end && r.src[at] == ']' {
		r.json = append(r.json, ']')
		return at + 1, true
	}
	for {
		var ok bool
		if at, ok = r.flow(at, depth+1); !ok {
			return 0, false
		}
		at = r.blanks(at)
		if at == r.end {
			return 0, false
		}
		switch r.src[at] {
		case ',':
			r.json = append(r.json, ',')
			at = r.blanks(at + 1)
		case ']':
			r.json = append(r.json, ']')
			return at + 1, true
		default:
			return 0, false
		}
	}
}

func (r *blockReader) flowMapping(at, depth int) (int, bool) {
	base := len(r.keys)
	r.json = append(r.json, '{')
	at = r.blanks(at + 1)
	if at < r.end && r.src[at] == '}' {
		r.json = append(r.json, '}')
		return at + 1, true
	}
	for {
		var ok bool
		if at, ok = r.flowMember(at, base, depth); !ok {
			return 0, false
		}
		at = r.blanks(at)
		if at == r.end {
			return 0, false
		}
		switch r.src[at] {
		case ',':
			r.json = append(r.json, ',')
			at = r.blanks(at + 1)
		case '}':
			r.keys = r.keys[:base]
			r.json = append(r.json, '}')
			return at + 1, true
		default:
			return 0, false
		}
	}
}

func (r *blockReader) flowMember(at, base, depth int) (int, bool) {
	if at >= r.end || !r.isKey(at) {
		return 0, false
	}
	end := r.keyEnd(at)
	if !r.name(r.src[at:end], base) {
		return 0, false
	}
	return r.flow(r.blanks(end+1), depth+1)
}

// flowPlain writes a plain scalar of characters that cannot mean anything else.
func (r *blockReader) flowPlain(at int) (int, bool) {
	c := r.src[at]
	if !safe[c] || c == '-' && (at+1 == r.end || !safe[r.src[at+1]]) {
		return 0, false
	}
	end := at
	for end < r.end && (safe[r.src[end]] || r.src[end] == '=' || r.src[end] == '+') {
		end++
	}
	behind := r.blanks(end)
	if behind == r.end {
		return 0, false
	}
	if c := r.src[behind]; c != ',' && c != ']' && c != '}' {
		return 0, false
	}
	var err error
	r.json, _, err = appendPlain(r.json, r.src[at:end])
	return behind, err == nil
}

// doubleQuoted writes a scalar in double quotes with the escapes that YAML
// shares with JSON.
func (r *blockReader) doubleQuoted(at int) (int, bool) {
	rest := r.src[at+1 : r.end]
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		return 0, false
	}
	if bytes.IndexByte(rest[:end], '\\') < 0 {
		r.json = appendString(r.json, rest[:end])
		return at + end + 2, true
	}
	r.text = r.text[:0]
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; c {
		case '"':
			r.json = appendString(r.json, r.text)
			return at + i + 2, true
		case '\\':
			i++
			if i == len(rest) {
				return 0, false
			}
			escaped, ok := unescape(rest[i])
			if !ok {
				return 0, false
			}
			r.text = append(r.text, escaped)
		default:
			r.text = append(r.text, c)
		}
	}
	return 0, false
}

func unescape(c byte) (byte, bool) {
	switch c {
	case '"', '\\', '/':
		return c, true
	case 'n':
		return '\n', true
	case 't':
		return '\t', true
	case 'r':
		return '\r', true
	default:
		return 0, false
	}
}

// singleQuoted writes a scalar in single quotes, in which two stand for one.
func (r *blockReader) singleQuoted(at int) (int, bool) {
	r.text = r.text[:0]
	for i := at + 1; i < r.end; i++ {
		if r.src[i] != '\'' {
			r.text = append(r.text, r.src[i])
			continue
		}
		if i+1 == r.end || r.src[i+1] != '\'' {
			r.json = appendString(r.json, r.text)
			return i + 1, true
		}
		r.text = append(r.text, '\'')
		i++
	}
	return 0, false
}
