package workload

import (
	"bytes"
	"sort"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// tree is a document as JSON, with what tells the line of every field.
type tree struct {
	json []byte
	// line is the first line of the document's content, and offset the place of
	// json in its chunk, when json is the file's own text.
	line, offset int
	// marks say where lines begin to count, by ascending offset. nil means
	// that json is the file's own text, from that line on.
	marks []mark
	// duplicates are keys that stood twice.
	duplicates []duplicate
}

// mark says that what is written from an offset in the JSON on stands on a line.
type mark struct{ offset, line int32 }

// duplicate is a key that stands twice in one object.
type duplicate struct {
	offset      int // of the value that counts, in the JSON
	key         string
	first, last int // lines
}

func (t *tree) lineAt(offset int) int {
	if t.marks == nil {
		return t.line + bytes.Count(t.json[:offset], []byte("\n"))
	}
	i := sort.Search(len(t.marks), func(i int) bool { return int(t.marks[i].offset) > offset })
	if i == 0 {
		return t.line
	}
	return int(t.marks[i-1].line)
}

// find returns the offset of the field that the tokens lead to from the value at
// json[start:end], or of the last one on the way that exists.
func (t *tree) find(start, end int, tokens []string) int {
	dec := jsontext.NewDecoder(bytesReader(t.json[start:end]), decodeOptions)
	found := t.begin(start, end)
	for _, token := range tokens {
		member := dec.PeekKind() == '{'
		if descend(dec, token) != nil {
			return found
		}
		at := start + int(dec.InputOffset())
		if member {
			found = at - 1 // the closing quote of the name
			continue
		}
		found = t.begin(at, end)
	}
	return found
}

// begin passes over what stands between two values.
func (t *tree) begin(at, end int) int {
	for at < end-1 && strings.IndexByte(" \t\r\n,:", t.json[at]) >= 0 {
		at++
	}
	return at
}

// pathTokens splits a field path into member names and indexes:
// metadata.annotations["a.b/c"] and containers[0] are understood.
func pathTokens(path string) []string {
	var tokens []string
	for path != "" {
		switch {
		case path[0] == '.':
			path = path[1:]
		case strings.HasPrefix(path, `["`):
			quoted, err := strconv.QuotedPrefix(path[1:])
			if err != nil {
				return tokens
			}
			name, err := strconv.Unquote(quoted)
			if err != nil {
				return tokens
			}
			tokens = append(tokens, name)
			path = strings.TrimPrefix(path[1+len(quoted):], "]")
		case path[0] == '[':
			index, rest, ok := strings.Cut(path[1:], "]")
			if !ok {
				return tokens
			}
			tokens, path = append(tokens, index), rest
		default:
			n := strings.IndexAny(path, ".[")
			if n < 0 {
				n = len(path)
			}
			tokens, path = append(tokens, path[:n]), path[n:]
		}
	}
	return tokens
}
