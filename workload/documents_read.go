package workload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// trees reads the text of a chunk. What could be read before an error is
// returned with it.
func (c Chunk) trees() ([]*tree, error) {
	text := bytes.TrimLeft(c.Data, " \t\r\n")
	if len(text) == 0 {
		return nil, nil
	}
	isJSON := strings.EqualFold(filepath.Ext(c.File), ".json")
	if text[0] == '{' || text[0] == '[' || isJSON {
		trees, err := readJSON(c.Data, c.Line)
		if err == nil || isJSON && !errors.Is(err, jsontext.ErrDuplicateName) {
			return trees, err
		}
	}
	t, ok := readBlocks(c.Data, c.Line)
	if !ok {
		var err error
		if t, err = readYAML(c.Data, c.Line); err != nil {
			return nil, err
		}
	}
	if t == nil || string(t.json) == "null" {
		return nil, nil
	}
	return []*tree{t}, nil
}

// readJSON reads the values of a JSON text, which stands for itself.
func readJSON(text []byte, firstLine int) ([]*tree, error) {
	dec := jsontext.NewDecoder(bytesReader(text))
	var trees []*tree
	line, from := firstLine, 0
	for {
		value, err := dec.ReadValue()
		if errors.Is(err, io.EOF) {
			return trees, nil
		}
		if err != nil {
			return trees, jsonError(text, err)
		}
		end := int(dec.InputOffset())
		start := end - len(value)
		line += bytes.Count(text[from:start], []byte("\n"))
		from = start
		trees = append(trees, &tree{json: text[start:end:end], line: line, offset: start})
	}
}

func jsonError(text []byte, err error) error {
	var bad *jsontext.SyntacticError
	if !errors.As(err, &bad) {
		return err
	}
	at := min(int(bad.ByteOffset), len(text))
	what := bad.Err
	if errors.Is(what, io.ErrUnexpectedEOF) {
		what = errors.New("it ends too soon")
	}
	return &lineError{1 + bytes.Count(text[:at], []byte("\n")), fmt.Errorf("is not JSON: %w", what)}
}

// failure is the document that stands for a chunk which could not be read.
func (c Chunk) failure(err error) Document {
	line := 1
	var at *lineError
	if errors.As(err, &at) && at.line > 0 {
		line = at.line
	}
	message := err.Error()
	if i := templateLine(c.Data); i > 0 {
		line = i
		message = "is a template ({{ }}), not a manifest; render it first (helm template CHART | probity check -)"
	}
	line += c.Line - 1
	return Document{
		Source:  Source{File: c.File, Line: line},
		Errors:  []InputError{{File: c.File, Line: line, Message: message}},
		Foreign: !claimsKind.Match(c.Data),
	}
}

// claimsKind finds the member that says an unreadable text was meant as a
// Kubernetes object.
var claimsKind = regexp.MustCompile(`(?m)^[\s{,-]*"?(kind|apiVersion)"?:`)
