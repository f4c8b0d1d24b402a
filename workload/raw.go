package workload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrNotFound is returned by Raw for a path that the document does not have.
var ErrNotFound = errors.New("no such field")

// Raw returns the bytes of the value at a JSON Pointer (RFC 6901) of a document,
// as they stand there: fields that the model does not know are in it.
func Raw(data []byte, pointer string) (jsontext.Value, error) {
	start, end, err := Locate(data, pointer)
	if err != nil {
		return nil, err
	}
	return jsontext.Value(data[start:end]), nil
}

// Locate returns where the value at a JSON Pointer begins and ends in a document.
func Locate(data []byte, pointer string) (start, end int, err error) {
	from, to, err := locate(data, jsontext.Pointer(pointer))
	return int(from), int(to), err
}

// Items returns the bytes of each item of the list at a JSON Pointer, in one pass
// over the document.
func Items(data []byte, pointer string) ([]jsontext.Value, error) {
	list, err := Raw(data, pointer)
	if err != nil {
		return nil, err
	}
	dec := jsontext.NewDecoder(bytesReader(list), decodeOptions)
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '[' {
		return nil, fmt.Errorf("%s: must be a list", pointer)
	}
	var items []jsontext.Value
	for dec.PeekKind() != ']' {
		item, err := dec.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pointer, err)
		}
		end := dec.InputOffset()
		items = append(items, list[end-int64(len(item)):end])
	}
	return items, nil
}

// locate returns where in data the value at a pointer begins and ends.
func locate(data []byte, pointer jsontext.Pointer) (start, end int64, err error) {
	dec := jsontext.NewDecoder(bytesReader(data), decodeOptions)
	for token := range pointer.Tokens() {
		if err := descend(dec, token); err != nil {
			return 0, 0, fmt.Errorf("%s: %w", pointer, err)
		}
	}
	value, err := dec.ReadValue()
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w", pointer, err)
	}
	end = dec.InputOffset()
	return end - int64(len(value)), end, nil
}

// descend steps into the object or array that comes next, up to the member or
// the item of that name or index.
func descend(dec *jsontext.Decoder, token string) error {
	opening, err := dec.ReadToken()
	if err != nil {
		return err
	}
	switch opening.Kind() {
	case '{':
		for dec.PeekKind() == '"' {
			name, err := dec.ReadToken()
			if err != nil {
				return err
			}
			if name.String() == token {
				return nil
			}
			if err := dec.SkipValue(); err != nil {
				return err
			}
		}
	case '[':
		index, err := strconv.Atoi(token)
		if err != nil {
			return ErrNotFound
		}
		for ; index > 0 && dec.PeekKind() != ']'; index-- {
			if err := dec.SkipValue(); err != nil {
				return err
			}
		}
		if dec.PeekKind() != ']' {
			return nil
		}
	}
	return ErrNotFound
}

// withNull returns a copy of data with null in place of the value at pointer.
func withNull(data []byte, pointer jsontext.Pointer) ([]byte, error) {
	start, end, err := locate(data, pointer)
	if err != nil {
		return nil, err
	}
	return slices.Concat(data[:start], []byte("null"), data[end:]), nil
}

// fieldPath turns /spec/containers/0/name into spec.containers[0].name.
func fieldPath(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		switch {
		case token != "" && strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
		case strings.ContainsAny(token, ".[]/ "):
			fmt.Fprintf(&b, "[%q]", token)
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(token)
		}
	}
	return b.String()
}

// Pointer turns a field path of this package into a JSON Pointer:
// spec.containers[0].name into /spec/containers/0/name.
func Pointer(path string) string {
	return "/" + asPointer.Replace(path)
}

// asPointer is made once: to make a Replacer costs more than all that is left of an
// injection.
var asPointer = strings.NewReplacer(".", "/", "[", "/", "]", "")

var kindNames = map[jsontext.Kind]string{
	'n': "null", 'f': "a boolean", 't': "a boolean", '"': "a string", '0': "a number", '{': "an object", '[': "a list",
}

// mismatch says what is legal at a field and what stands there.
func mismatch(data []byte, e *json.SemanticError) string {
	var illegal *illegalValue
	if errors.As(e.Err, &illegal) {
		return illegal.Error()
	}
	got := kindNames[e.JSONKind]
	if value, err := Raw(data, string(e.JSONPointer)); err == nil && len(value) <= 40 {
		got = string(value)
	}
	if e.GoType == nil {
		return fmt.Sprintf("cannot be %s", got)
	}
	want := wanted(e.GoType.String())
	if want == "a string" {
		got += quoteAdvice(e.JSONKind)
	}
	return fmt.Sprintf("must be %s, is %s", want, got)
}

// quoteAdvice says how what YAML takes for a number, true or false becomes a string.
// Where it stands in the file as a word, the word is not to be seen any more.
func quoteAdvice(kind jsontext.Kind) string {
	switch kind {
	case 't':
		return "; quote it, as YAML takes y, yes and on for true"
	case 'f':
		return "; quote it, as YAML takes n, no and off for false"
	case '0':
		return "; quote it"
	default:
		return ""
	}
}

// wanted names a Go type in the API's terms.
func wanted(goType string) string {
	goType = strings.TrimPrefix(goType, "*")
	switch {
	case strings.HasPrefix(goType, "int"):
		return "a whole number"
	case goType == "bool":
		return "true or false"
	case goType == "string":
		return "a string"
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	default:
		return "an object"
	}
}

// decodeError takes the decoder's own words where they are about syntax, and
// says what is wrong in ours where they are about Go types.
func decodeError(data []byte, err error) error {
	var bad *json.SemanticError
	if errors.As(err, &bad) {
		if bad.JSONPointer == "" {
			return errors.New(mismatch(data, bad))
		}
		return errors.New(fieldPath(bad.JSONPointer) + " " + mismatch(data, bad))
	}
	return err
}

func bytesReader(data []byte) io.Reader { return bytes.NewBuffer(data) }
