package validate

import (
	"encoding/binary"
	"iter"
	"maps"

	"github.com/probity-dev/probity/workload"
)

// packed holds objects in little memory. Workloads, autoscalers and custom
// resources of the usual form are written one behind the other into blocks of
// bytes, about forty for a workload; what recurs (kinds, namespaces, names of
// labels) is written once. Others are kept as they are.
type packed struct {
	blocks [][]byte
	count  int
	heads  table[packedHead]
	words  table[string]
	whole  []*workload.Object
}

// packedHead is what many objects share.
type packedHead struct{ apiVersion, kind, namespace, podPath string }

// blockSize is how much memory is taken at a time. Blocks never move, so that
// growing takes no second copy.
const blockSize = 64 << 10

// Forms of a record, its first byte.
const (
	recordWhole byte = iota
	recordWorkload
	recordAutoscaler
	recordCustom
)

// table gives each distinct value a number.
type table[T comparable] struct {
	values  []T
	numbers map[T]uint64
}

func (t *table[T]) number(v T) uint64 {
	n, ok := t.numbers[v]
	if !ok {
		if t.numbers == nil {
			t.numbers = map[T]uint64{}
		}
		n = uint64(len(t.values))
		t.values, t.numbers[v] = append(t.values, v), n
	}
	return n
}

// add writes an object behind the others and returns its index.
func (p *packed) add(o *workload.Object) int {
	var record []byte
	switch {
	case o.Workload != nil && usual(o.Workload):
		record = p.workload(o.Workload)
	case o.Autoscaler != nil:
		record = p.autoscaler(o.Autoscaler)
	case o.Workload == nil && o.Budget == nil:
		record = p.ref([]byte{recordCustom}, o.Ref, "")
	default:
		record = binary.AppendUvarint([]byte{recordWhole}, uint64(len(p.whole)))
		p.whole = append(p.whole, o)
	}
	last := len(p.blocks) - 1
	if last < 0 || len(p.blocks[last])+len(record) > cap(p.blocks[last]) {
		p.blocks = append(p.blocks, make([]byte, 0, max(blockSize, len(record))))
		last++
	}
	p.blocks[last] = append(p.blocks[last], record...)
	p.count++
	return p.count - 1
}

// usual reports whether a workload is no more than a record holds.
func usual(w *workload.Workload) bool {
	return w.Controller == nil && !w.Deleting && len(w.Annotations) == 0
}

func (p *packed) workload(w *workload.Workload) []byte {
	record := p.ref([]byte{recordWorkload}, w.Ref, w.Pod.Path)
	replicas := uint64(0) // absent
	if w.Replicas != nil {
		replicas = 1 + uint64(uint32(*w.Replicas)) //nolint:gosec // the bits, negative ones too; read back below
	}
	record = binary.AppendUvarint(record, replicas)
	record = binary.AppendUvarint(record, p.words.number(w.Pod.RestartPolicy))
	record = binary.AppendUvarint(record, uint64(len(w.Pod.Labels)))
	for key, value := range w.Pod.Labels {
		record = binary.AppendUvarint(record, p.words.number(key))
		record = appendName(record, value, w.Ref.Name)
	}
	return record
}

func (p *packed) autoscaler(a *workload.Autoscaler) []byte {
	record := p.ref([]byte{recordAutoscaler}, a.Ref, "")
	record = binary.AppendUvarint(record, p.heads.number(packedHead{a.Target.APIVersion, a.Target.Kind, a.Target.Namespace, ""}))
	record = appendName(record, a.Target.Name, a.Ref.Name)
	return binary.AppendUvarint(record, uint64(uint32(a.MinReplicas))) //nolint:gosec // as above
}

func (p *packed) ref(record []byte, r workload.Ref, podPath string) []byte {
	record = binary.AppendUvarint(record, p.heads.number(packedHead{r.APIVersion, r.Kind, r.Namespace, podPath}))
	return appendName(record, r.Name, "")
}

// appendName writes a string, or that it is the same as the object's name, which
// labels and the targets of autoscalers often are.
func appendName(record []byte, s, name string) []byte {
	if s == name {
		return append(record, 0)
	}
	record = binary.AppendUvarint(record, 1+uint64(len(s)))
	return append(record, s...)
}

// all yields the objects with their indexes. One of the usual form is overwritten
// by the next: clone what is to stay.
func (p *packed) all() iter.Seq2[int, *workload.Object] {
	return func(yield func(int, *workload.Object) bool) {
		index := 0
		for _, block := range p.blocks {
			r := reader{packed: p, rest: block}
			for len(r.rest) > 0 {
				if !yield(index, r.object()) {
					return
				}
				index++
			}
		}
	}
}

// clone copies an object that all has yielded, so that it stays.
func clone(o *workload.Object) *workload.Object {
	c := *o
	switch {
	case o.Workload != nil:
		w := *o.Workload
		w.Pod.Labels = maps.Clone(w.Pod.Labels)
		if w.Replicas != nil {
			w.Replicas = new(*w.Replicas)
		}
		c.Workload = &w
	case o.Autoscaler != nil:
		a := *o.Autoscaler
		c.Autoscaler = &a
	}
	return &c
}

// reader unpacks the records of a block, each into the same memory.
type reader struct {
	packed *packed
	rest   []byte

	current    workload.Object
	workload   workload.Workload
	autoscaler workload.Autoscaler
	replicas   int32
	labels     map[string]string
}

func (r *reader) object() *workload.Object {
	form := r.rest[0]
	r.rest = r.rest[1:]
	if form == recordWhole {
		return r.packed.whole[r.number()]
	}
	ref, podPath := r.ref("")
	r.current = workload.Object{Ref: ref}
	switch form {
	case recordWorkload:
		r.readWorkload(ref, podPath)
	case recordAutoscaler:
		target, _ := r.ref(ref.Name)
		r.autoscaler = workload.Autoscaler{Ref: ref, Target: target, MinReplicas: int32(uint32(r.number()))} //nolint:gosec // what autoscaler wrote
		r.current.Autoscaler = &r.autoscaler
	}
	return &r.current
}

func (r *reader) readWorkload(ref workload.Ref, podPath string) {
	r.workload = workload.Workload{Ref: ref}
	if n := r.number(); n > 0 {
		r.replicas = int32(uint32(n - 1)) //nolint:gosec // what workload wrote
		r.workload.Replicas = &r.replicas
	}
	r.workload.Pod = workload.Pod{Path: podPath, RestartPolicy: r.packed.words.values[r.number()]}
	n := r.number()
	if r.labels == nil {
		r.labels = map[string]string{}
	}
	clear(r.labels)
	for range n {
		key := r.packed.words.values[r.number()]
		r.labels[key] = r.name(ref.Name)
	}
	if n > 0 {
		r.workload.Pod.Labels = r.labels
	}
	r.current.Workload = &r.workload
}

func (r *reader) ref(name string) (ref workload.Ref, podPath string) {
	h := r.packed.heads.values[r.number()]
	return workload.Ref{APIVersion: h.apiVersion, Kind: h.kind, Namespace: h.namespace, Name: r.name(name)}, h.podPath
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	r.rest = r.rest[n:]
	return v
}

func (r *reader) name(same string) string {
	n := r.number()
	if n == 0 {
		return same
	}
	s := string(r.rest[:n-1])
	r.rest = r.rest[n-1:]
	return s
}
