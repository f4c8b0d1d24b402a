package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"strings"
)

// span is a range of bytes of a file.
type span struct{ start, end int }

// breakage is one small fault put into a file: an edit, inside a node that can be
// had in both forms in one program, with a switch to choose.
type breakage struct {
	// file is the path below the root of the module, with slashes.
	file string
	line int
	// in names the function or the variable that holds it.
	in   string
	kind kind
	// node is what the switch goes around, edit what changes in it.
	node, edit span
	with       string
	// form says how the switch goes around the node.
	form form
	// of is the type that the form is written with, or nothing.
	of string
	// index is the element's that formWithout leaves out.
	index int
	// entry is the key that formWithoutKey leaves out.
	entry string
	// elided is set for a composite literal that is written without its type.
	elided bool

	// before and after are the lines with the edit; after is empty when they go.
	before, after string
	// nth tells apart what reads the same in one function, from 1.
	nth int
	id  int
}

// kind groups breakages: of each group some are chosen.
type kind string

const (
	kindCompare   kind = "comparison"
	kindLogic     kind = "and, or, not"
	kindCondition kind = "condition"
	kindBound     kind = "bound"
	kindSum       kind = "arithmetic"
	kindConstant  kind = "constant"
	kindElement   kind = "table entry"
	kindField     kind = "field"
	kindStatement kind = "statement"
)

// key names a breakage without line numbers, so that a list of them lives on when
// other lines of the file change.
type key struct {
	File, In      string
	Before, After string
	Nth           int
}

func (b *breakage) key() key { return key{b.file, b.in, b.before, b.after, b.nth} }

// place is the key's first line in the list of survivors.
func (k key) place() string {
	if k.Nth > 1 {
		return fmt.Sprintf("%s %s #%d", k.File, k.In, k.Nth)
	}
	return k.File + " " + k.In
}

// diff is the change, a line each.
func (k key) diff() string {
	if k.After == "" {
		return "- " + k.Before
	}
	return "- " + k.Before + "\n+ " + k.After
}

// hash orders breakages at random but always in the same way.
func (k key) hash() uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s\n%s\n%s\n%d", k.File, k.In, k.diff(), k.Nth)
	return h.Sum64()
}

// longest is how much of a changed line is shown, in bytes.
const longest = 160

// describe fills in what the edit looks like.
func (b *breakage) describe(src []byte) {
	old := string(src[b.edit.start:b.edit.end])
	b.line = bytes.Count(src[:b.edit.start], []byte("\n")) + 1
	if b.with == "" && strings.Contains(old, "\n") {
		b.before = collapse(old)
		return
	}
	head := string(src[bytes.LastIndexByte(src[:b.edit.start], '\n')+1 : b.edit.start])
	tail, _, _ := strings.Cut(string(src[b.edit.end:]), "\n")
	b.before = collapse(head + old + tail)
	if rest, ok := strings.CutPrefix(tail, ", "); ok && b.with == "" {
		tail = rest
	} else if b.with == "" && strings.HasPrefix(tail, "}") {
		head = strings.TrimSuffix(head, ", ")
	}
	b.after = collapse(head + b.with + tail)
	if strings.Trim(b.after, ",") == "" {
		b.after = "" // the line goes
	}
}

func collapse(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return s
}

// number tells apart those that read the same; they come in the order of the file.
func number(all []*breakage) {
	seen := map[key]int{}
	for _, b := range all {
		k := b.key()
		seen[k]++
		b.nth = seen[k]
	}
}
