package workload

import (
	"fmt"
	"iter"
)

// Document is one object of a file, with its place.
type Document struct {
	// Object is nil when the document could not be read; Errors say why.
	Object *Object
	// Source is where the object begins.
	Source Source
	// Path is the field path of the object in its document: "items[1]" in a
	// List, and empty for a document of its own.
	Path string
	// Errors are what is wrong with the document, in the order of lines.
	Errors []InputError
	// Foreign is set for a document that does not even claim to be a Kubernetes
	// object (a values file, a workflow, prose). One error says what it is.
	Foreign bool

	tree *tree
	// start and end are the object's place in tree.json.
	start, end int
}

// Source is a place in a file.
type Source struct {
	File string `json:"file"`
	// Line counts from 1.
	Line int `json:"line"`
}

// InputError says what is wrong in a file, and where.
type InputError struct {
	File string `json:"file"`
	// Line counts from 1; 0 means the file as a whole.
	Line    int    `json:"line"`
	Message string `json:"message"`
	// Judged is set when the object was read in full all the same: a key that
	// stands twice, of which the last one counts, a field that does not exist, or a
	// kind of which nothing is judged.
	Judged bool `json:"-"`
	// Once is the same for all errors that say of different objects the same thing,
	// such as that their kind is not judged: the first one is enough. Empty for all
	// that is about one object.
	Once string `json:"-"`
	// Path is the field's from the object's root; empty for what is about no field.
	Path string `json:"-"`
}

// Error gives "file:line: message".
func (e InputError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

// Documents yields every object of a YAML or JSON file, in the file's order.
// Lists are expanded. A document that cannot be read is yielded with its errors
// and hides no other; empty ones are passed over.
func (k *Kinds) Documents(name string, data []byte) iter.Seq[Document] {
	return func(yield func(Document) bool) {
		for chunk := range Split(name, data) {
			for _, d := range k.Read(chunk) {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// Read returns the objects of one part of a file, each with its lines in that
// file. It is safe for concurrent use.
func (k *Kinds) Read(c Chunk) []Document {
	trees, err := c.trees()
	var docs []Document
	for i := range trees {
		docs = append(docs, k.expand(c.File, trees[i])...)
	}
	if err != nil {
		docs = append(docs, c.failure(err))
	}
	return docs
}

// Line returns the line of a field by its path from the object's root, or that
// of the nearest field above it that exists.
func (d *Document) Line(path string) int {
	if d.tree == nil {
		return d.Source.Line
	}
	return d.tree.lineAt(d.tree.find(d.start, d.end, pathTokens(path)))
}

// Begin returns where the object begins in the text of its chunk; false for YAML,
// which JSON does not stand for.
func (d *Document) Begin() (offset int, ok bool) {
	if d.tree == nil || d.tree.marks != nil {
		return 0, false
	}
	return d.tree.offset + d.start, true
}

// JSON returns the object in JSON, as it was read: fields that the model does
// not know are in it. It is nil when the document could not be read.
func (d *Document) JSON() []byte {
	if d.tree == nil {
		return nil
	}
	return d.tree.json[d.start:d.end:d.end]
}
