package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// form says how both forms of a node stand in one program. All of them only put
// text before and after the node, so that they nest.
type form uint8

const (
	// formLazy takes the edited expression in place of the node. Neither is
	// evaluated when the other is taken: it may be what a nil is guarded by.
	formLazy form = iota
	// formConstant is the short form for what has no effect.
	formConstant
	// formZero takes the zero value in place of the node.
	formZero
	// formWithout leaves an element out of a slice.
	formWithout
	// formWithoutKey leaves an entry out of a map.
	formWithoutKey
	// formSkip skips a statement.
	formSkip
)

// around gives what goes before and after the node.
func (b *breakage) around(src []byte) (before, after string) {
	typed := ""
	if b.of != "" {
		typed = "[" + b.of + "]"
	}
	switch b.form {
	case formLazy:
		return fmt.Sprintf("(func() %s { if mutationActive == %d { return %s }; return ", b.of, b.id, b.edited(src)), " }())"
	case formConstant:
		return fmt.Sprintf("mutationEither%s(%d, %s, ", typed, b.id, b.edited(src)), ")"
	case formZero:
		return fmt.Sprintf("mutationZero%s(%d, ", typed, b.id), ")"
	case formWithout, formWithoutKey:
		if b.form == formWithout {
			return fmt.Sprintf("mutationWithout(%d, %d, ", b.id, b.index), ")"
		}
		return fmt.Sprintf("mutationWithoutKey(%d, %s, ", b.id, b.entry), ")"
	default:
		return fmt.Sprintf("if mutationActive != %d { ", b.id), " }"
	}
}

// edited is the node with the edit.
func (b *breakage) edited(src []byte) string {
	return string(src[b.node.start:b.edit.start]) + b.with + string(src[b.edit.end:b.node.end])
}

// helper is put beside the files of each package that has breakages. One of them is
// active, by the environment, or none. A breakage that eats memory is ended
// before the machine suffers, as one that never ends is by the test's timeout. Its
// names are not to meet those of the package.
const helper = `package %s

import (
	mutationOS "os"
	mutationRuntime "runtime"
	mutationSlices "slices"
	mutationStrconv "strconv"
	mutationTime "time"
)

var mutationActive = mutationRead()

func mutationRead() int {
	active, _ := mutationStrconv.Atoi(mutationOS.Getenv("` + variable + `"))
	if active != 0 {
		go mutationWatch()
	}
	return active
}

func mutationWatch() {
	for range mutationTime.Tick(200 * mutationTime.Millisecond) {
		var m mutationRuntime.MemStats
		if mutationRuntime.ReadMemStats(&m); m.HeapAlloc > 1<<30 {
			mutationOS.Stderr.WriteString("uses over 1 GiB of memory\n")
			mutationOS.Exit(2)
		}
	}
}

func mutationEither[T any](id int, broken, whole T) T {
	if mutationActive == id {
		return broken
	}
	return whole
}

func mutationZero[T any](id int, whole T) (zero T) {
	if mutationActive == id {
		return zero
	}
	return whole
}

func mutationWithout[S ~[]E, E any](id, index int, whole S) S {
	if mutationActive == id {
		return mutationSlices.Delete(whole, index, index+1)
	}
	return whole
}

func mutationWithoutKey[M ~map[K]V, K comparable, V any](id int, key K, whole M) M {
	if mutationActive == id {
		delete(whole, key)
	}
	return whole
}
`

// helperImports are what the helper imports, whatever the package does.
var helperImports = []string{"os", "runtime", "slices", "strconv", "time"}

// helperName is the name of the file that holds it.
const helperName = "mutation_switch.go"

// variable holds the number of the active breakage.
const variable = "MUTATION"

// insertion is text put into a file.
type insertion struct {
	// node is what it goes around: before it when it opens, else after it.
	node  span
	opens bool
	text  string
	// by is the breakage that it belongs to, or nil.
	by *breakage
	// seq orders those around one node, from the outermost.
	seq int
}

func (i insertion) at() int {
	if i.opens {
		return i.node.start
	}
	return i.node.end
}

// switched is a file with breakages in it, each with its switch.
type switched struct {
	text []byte
	// nodes are the ranges of the switched nodes in text.
	nodes map[*breakage]span
}

// culprit is the breakage that an error at the offset comes from: the innermost.
func (s switched) culprit(offset int) *breakage {
	var found *breakage
	for b, r := range s.nodes {
		if r.start <= offset && offset < r.end && (found == nil || inside(r, s.nodes[found])) {
			found = b
		}
	}
	return found
}

func inside(a, b span) bool { return a.start >= b.start && a.end <= b.end }

// putSwitches writes all breakages of one file into it.
func putSwitches(src []byte, all []*breakage) switched {
	var insertions []insertion
	elided := map[span]string{}
	for i, b := range all {
		before, after := b.around(src)
		insertions = append(insertions, insertion{b.node, true, before, b, i}, insertion{b.node, false, after, b, i})
		if b.elided {
			elided[b.node] = b.of
		}
	}
	// A literal that is an argument now needs its type.
	for node, of := range elided {
		insertions = append(insertions, insertion{node, true, of, nil, len(all)})
	}
	slices.SortFunc(insertions, compareInsertions)
	out := switched{nodes: map[*breakage]span{}}
	var text bytes.Buffer
	from := 0
	for _, i := range insertions {
		text.Write(src[from:i.at()])
		from = i.at()
		r := out.nodes[i.by]
		if i.opens {
			r.start = text.Len()
		}
		text.WriteString(i.text)
		r.end = text.Len()
		out.nodes[i.by] = r
	}
	delete(out.nodes, nil)
	text.Write(src[from:])
	out.text = text.Bytes()
	return out
}

// compareInsertions closes what ends at an offset before it opens what starts
// there, and lets the wider of two nodes hold the other.
func compareInsertions(a, b insertion) int {
	switch {
	case a.at() != b.at():
		return cmp.Compare(a.at(), b.at())
	case a.opens != b.opens && a.opens:
		return 1
	case a.opens != b.opens:
		return -1
	case a.opens:
		return cmp.Or(-cmp.Compare(a.node.end, b.node.end), cmp.Compare(a.seq, b.seq))
	default:
		return cmp.Or(-cmp.Compare(a.node.start, b.node.start), -cmp.Compare(a.seq, b.seq))
	}
}

// helperFor is the helper of the package of that name.
func helperFor(name string) []byte { return fmt.Appendf(nil, helper, name) }
