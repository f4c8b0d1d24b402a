package endpoint

import "strings"

// maxDecodes is how often percent-encoding is undone: once by the server, and
// again because proxies on the way are known to encode a second time.
const maxDecodes = 3

// workspace is the memory that a usual path needs; longer ones allocate.
type workspace struct {
	text     [160]byte
	lower    [160]byte
	segments [12]span
	params   [6]param
}

// span is a part of address.text.
type span struct{ from, to int }

// param is one query parameter.
type param struct{ key, value span }

// address is a request path taken apart. Its texts are decoded; lower has the
// same length as text, which keeps the case because camelCase separates words.
type address struct {
	text     []byte
	lower    []byte
	segments []span
	params   []param
}

// parse takes a path apart. It undoes percent-encoding, doubled slashes, dot
// segments and path parameters (";jsessionid=1"), and drops the fragment, which
// never leaves the client.
func parse(path string, room *workspace) address {
	path = withoutOrigin(path)
	path, _, _ = strings.Cut(path, "#")
	path, query, _ := strings.Cut(path, "?")

	text := appendDecoded(room.text[:0], path)
	segments := appendSegments(room.segments[:0], text)
	params := room.params[:0]
	for query != "" {
		var pair string
		pair, query = cutPair(query)
		if pair == "" {
			continue
		}
		key, value, _ := strings.Cut(pair, "=")
		from := len(text)
		text = appendDecoded(text, key)
		middle := len(text)
		text = appendDecoded(text, value)
		params = append(params, param{span{from, middle}, span{middle, len(text)}})
	}
	return address{
		text:     text,
		lower:    appendLower(room.lower[:0], text),
		segments: segments,
		params:   params,
	}
}

// withoutOrigin drops the scheme and the host of a URL.
func withoutOrigin(path string) string {
	colon := strings.Index(path, "://")
	if colon <= 0 || strings.ContainsAny(path[:colon], "/?#") {
		return path
	}
	rest := path[colon+len("://"):]
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		return rest[i:]
	}
	return ""
}

func cutPair(query string) (pair, rest string) {
	if i := strings.IndexAny(query, "&;"); i >= 0 {
		return query[:i], query[i+1:]
	}
	return query, ""
}

// appendDecoded adds s without its percent-encoding. Like all that makes an
// address it hands slices back instead of keeping them behind a pointer, so
// that the workspace stays on the caller's stack.
func appendDecoded(text []byte, s string) []byte {
	from := len(text)
	text = append(text, s...)
	for range maxDecodes {
		n := decode(text[from:])
		if from+n == len(text) {
			break
		}
		text = text[:from+n]
	}
	return text
}

func appendLower(lower, text []byte) []byte {
	for _, b := range text {
		if isUpper(b) {
			b += 'a' - 'A'
		}
		lower = append(lower, b)
	}
	return lower
}

// decode undoes percent-encoding in place and returns the new length. What is
// no valid escape stays as it is.
func decode(b []byte) int {
	n := 0
	for i := 0; i < len(b); i++ {
		if b[i] == '%' && i+2 < len(b) {
			high, low := unhex(b[i+1]), unhex(b[i+2])
			if high >= 0 && low >= 0 {
				b[n] = byte(high<<4 | low) //nolint:gosec // two digits of four bits each
				n++
				i += 2
				continue
			}
		}
		b[n] = b[i]
		n++
	}
	return n
}

func unhex(b byte) int {
	switch {
	case '0' <= b && b <= '9':
		return int(b - '0')
	case 'a' <= b && b <= 'f':
		return int(b-'a') + 10
	case 'A' <= b && b <= 'F':
		return int(b-'A') + 10
	default:
		return -1
	}
}

// appendSegments finds the segments of a decoded path.
func appendSegments(segments []span, text []byte) []span {
	for from := 0; from < len(text); {
		to := from
		for to < len(text) && text[to] != '/' {
			to++
		}
		end := from
		for end < to && text[end] != ';' {
			end++
		}
		switch string(text[from:end]) {
		case "", ".":
		case "..":
			segments = segments[:max(0, len(segments)-1)]
		default:
			segments = append(segments, span{from, end})
		}
		from = to + 1
	}
	return segments
}

func (a *address) segment(i int) []byte {
	return a.lower[a.segments[i].from:a.segments[i].to]
}

func (a *address) part(s span) []byte { return a.lower[s.from:s.to] }
