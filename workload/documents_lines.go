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

	// Findings come in the order of the text, thousands of them in a document that is
	// made to be slow. What was found for the last one is where the next begins.
	lastItems map[int]item // by the place of the list
	lastLine  mark
}

// item is an item of a list: its number, and its place.
type item struct{ index, offset int }

// mark says that what is written from an offset in the JSON on stands on a line.
type mark struct{ offset, line int32 }

// markAt makes a mark: four bytes a number, since a large file has millions. What
// stands past two gigabytes, which few files grow to in JSON, is told with a wrong
// line and read all the same.
func markAt(offset, line int) mark {
	return mark{int32(offset), int32(line)} //nolint:gosec // as above
}

// duplicate is a key that stands twice in one object.
type duplicate struct {
	offset      int // of the value that counts, in the JSON
	key         string
	first, last int // lines
}

func (t *tree) lineAt(offset int) int {
	if t.marks == nil {
		t.lastLine = markAt(offset, t.linesBefore(offset))
		return t.line + int(t.lastLine.line)
	}
	i := sort.Search(len(t.marks), func(i int) bool { return int(t.marks[i].offset) > offset })
	if i == 0 {
		return t.line
	}
	return int(t.marks[i-1].line)
}

// linesBefore counts from the place that was asked for before, or from the start if
// that is nearer: what is asked for together stands together, in any order.
func (t *tree) linesBefore(offset int) int {
	last, newline := int(t.lastLine.offset), []byte("\n")
	switch {
	case offset >= last:
		return int(t.lastLine.line) + bytes.Count(t.json[last:offset], newline)
	case last-offset < offset:
		return int(t.lastLine.line) - bytes.Count(t.json[offset:last], newline)
	default:
		return bytes.Count(t.json[:offset], newline)
	}
}

// find returns the offset of the field that the tokens lead to from the value at
// json[start:end], or of the last one on the way that exists.
func (t *tree) find(start, end int, tokens []string) int {
	at := t.begin(start, end)
	found := at
	for _, token := range tokens {
		if at < end && t.json[at] == '[' {
			at = t.item(at, end, token)
			if at < 0 {
				return found
			}
			found = at
			continue
		}
		dec := jsontext.NewDecoder(bytesReader(t.json[at:end]), decodeOptions)
		if descend(dec, token) != nil {
			return found
		}
		at += int(dec.InputOffset())
		found = at - 1 // the closing quote of the name
		at = t.begin(at, end)
	}
	return found
}

// item returns the place of an item of the list at json[list:end], and -1 when there
// is none.
func (t *tree) item(list, end int, token string) int {
	index, err := strconv.Atoi(token)
	if err != nil {
		return -1
	}
	here, known := t.lastItems[list]
	if !known || here.index > index {
		here = item{offset: t.begin(list+1, end)}
	}
	for t.json[here.offset] != ']' {
		if here.index == index {
			if t.lastItems == nil {
				t.lastItems = map[int]item{}
			}
			t.lastItems[list] = here
			return here.offset
		}
		dec := jsontext.NewDecoder(bytesReader(t.json[here.offset:end]), decodeOptions)
		if dec.SkipValue() != nil {
			break
		}
		here.index, here.offset = here.index+1, t.begin(here.offset+int(dec.InputOffset()), end)
	}
	return -1
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
