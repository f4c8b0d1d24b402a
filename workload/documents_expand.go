package workload

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxListDepth bounds Lists in Lists.
const maxListDepth = 8

// expander turns a tree into its objects.
type expander struct {
	kinds *Kinds
	file  string
	tree  *tree
	docs  []Document
}

// expand returns the objects of a document: itself, or the items of a List.
func (k *Kinds) expand(file string, t *tree) []Document {
	e := expander{kinds: k, file: file, tree: t}
	e.object(0, len(t.json), "", head{}, 0)
	e.placeDuplicates()
	return e.docs
}

// head is what an object says of itself, or what its List says of it.
type head struct {
	apiVersion, kind string
	// itemsStart is the offset of the items of a List in its bytes; 0: none.
	itemsStart int
}

func (e *expander) object(start, end int, path string, outer head, depth int) {
	start = e.tree.begin(start, end)
	d := Document{
		Source: Source{File: e.file, Line: e.tree.lineAt(start)},
		Path:   path, tree: e.tree, start: start, end: end,
	}
	h, err := readHead(e.tree.json[start:end])
	switch {
	case err != nil:
		d.Foreign = path == "" && !claimsOf(e.tree.json[start:end]).meant(e.kinds)
		e.fail(d, err.Error())
		return
	case h.apiVersion == "" && h.kind == "":
		h.apiVersion, h.kind = outer.apiVersion, strings.TrimSuffix(outer.kind, "List")
	}
	switch {
	case h.kind == "" || h.apiVersion == "":
		c := claimsOf(e.tree.json[start:end])
		d.Foreign = path == "" && h.kind == "" && !c.meant(e.kinds)
		e.fail(d, c.missing(h))
	case h.itemsStart > 0 && strings.HasSuffix(h.kind, "List"):
		e.items(d, h, depth)
	default:
		e.docs = append(e.docs, e.decode(d, h))
	}
}

// decode reads the object; what is wrong with its fields becomes errors.
func (e *expander) decode(d Document, h head) Document {
	obj, err := e.kinds.DecodeAs(d.JSON(), h.apiVersion, h.kind)
	if err != nil {
		d.Errors = append(d.Errors, InputError{File: e.file, Line: d.Source.Line, Message: inPath(d.Path, err.Error())})
		return d
	}
	d.Object = obj
	for _, p := range obj.Problems() {
		d.Errors = append(d.Errors, InputError{
			File: e.file, Line: d.Line(p.Path), Path: p.Path,
			Message: obj.Ref.String() + ": " + joinPath(d.Path, p.Path) + " " + p.Message,
		})
	}
	if why := e.kinds.unknownKind(d.JSON(), h.apiVersion, h.kind); why != "" {
		d.Errors = append(d.Errors, InputError{
			File: e.file, Line: d.Source.Line, Judged: true, Once: group(h.apiVersion) + "/" + h.kind,
			Message: obj.Ref.String() + ": " + inPath(d.Path, why),
		})
	}
	if obj.Workload != nil {
		for _, p := range unknownFields(obj.Workload, d.JSON()) {
			d.Errors = append(d.Errors, InputError{
				File: e.file, Line: d.Line(p.Path), Path: p.Path, Judged: true,
				Message: obj.Ref.String() + ": " + joinPath(d.Path, p.Path) + " " + p.Message,
			})
		}
	}
	return d
}

func (e *expander) fail(d Document, message string) {
	d.Errors = append(d.Errors, InputError{File: e.file, Line: d.Source.Line, Message: inPath(d.Path, message)})
	e.docs = append(e.docs, d)
}

func inPath(path, message string) string {
	if path == "" {
		return message
	}
	return path + " " + message
}

func joinPath(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

// items reads the objects of a List one by one.
func (e *expander) items(list Document, h head, depth int) {
	if depth == maxListDepth {
		e.fail(list, fmt.Sprintf("is a List in %d Lists; at most %d are read", depth, maxListDepth))
		return
	}
	at := list.start + h.itemsStart
	dec := jsontext.NewDecoder(bytesReader(e.tree.json[at:list.end]), decodeOptions)
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '[' {
		if tok.Kind() != 'n' {
			e.fail(list, "has items that are no list")
		}
		return
	}
	for i := 0; dec.PeekKind() != ']'; i++ {
		from := at + int(dec.InputOffset())
		if err := dec.SkipValue(); err != nil {
			e.fail(list, err.Error())
			return
		}
		path := joinPath(list.Path, "items["+strconv.Itoa(i)+"]")
		e.object(from, at+int(dec.InputOffset()), path, h, depth+1)
	}
}

var errNoObject = errors.New("is not a Kubernetes object")

// readHead reads as little of an object as tells what it is: with both names at
// the front, as almost always, nothing more.
func readHead(data []byte) (head, error) {
	dec := jsontext.NewDecoder(bytesReader(data), decodeOptions)
	var h head
	if kind := dec.PeekKind(); kind != '{' {
		return h, fmt.Errorf("%w: is %s", errNoObject, kindNames[kind])
	}
	if _, err := dec.ReadToken(); err != nil {
		return h, err
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return h, err
		}
		switch field := name.String(); field {
		case "apiVersion":
			err = readName(dec, field, &h.apiVersion)
		case "kind":
			err = readName(dec, field, &h.kind)
		case "items":
			h.itemsStart = int(dec.InputOffset()) + 1
			err = dec.SkipValue()
		default:
			err = dec.SkipValue()
		}
		if err != nil {
			return h, err
		}
		if h.apiVersion != "" && h.kind != "" && (h.itemsStart > 0 || !strings.HasSuffix(h.kind, "List")) {
			return h, nil
		}
	}
	return h, nil
}

func readName(dec *jsontext.Decoder, field string, to *string) error {
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	switch tok.Kind() {
	case '"':
		*to = tok.String()
		return nil
	case 'n':
		return nil
	default:
		return fmt.Errorf("%w: %s must be a string, is %s", errNoObject, field, clip(tok.String()))
	}
}

// placeDuplicates gives every key that stands twice to the object it is in.
func (e *expander) placeDuplicates() {
	for _, dup := range e.tree.duplicates {
		if len(e.docs) == 0 {
			e.docs = append(e.docs, Document{Source: Source{File: e.file, Line: e.tree.line}, tree: e.tree, end: len(e.tree.json)})
		}
		behind := sort.Search(len(e.docs), func(i int) bool { return e.docs[i].start > dup.offset })
		d := &e.docs[max(behind-1, 0)]
		message := fmt.Sprintf("key %q stands twice, first on line %d; the last one counts", clip(dup.key), dup.first)
		if d.Object != nil {
			message = d.Object.Ref.String() + ": " + message
		}
		d.Errors = append(d.Errors, InputError{File: e.file, Line: dup.last, Message: message, Judged: true})
	}
}
