package scan

import (
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/probity-dev/probity/workload"
)

// batchSize is how many bytes of documents one core takes at a time: enough that
// handing over costs nothing, little enough that both ends of a file are worked
// on at once.
const batchSize = 64 << 10

// Scanner reads manifests. T is what is made of a document.
type Scanner[T any] struct {
	Kinds *workload.Kinds
	Stdin io.Reader
	// Note takes what the user should know of what is not read.
	Note func(Note)
	// LikeFolder treats files that are named as those that lie in a folder: what holds
	// no Kubernetes object is Found, and templates and patches are not read.
	LikeFolder bool
	// Work is done for every document, on any core.
	Work func(workload.Document) T
}

// Result is one document, in the order of the input.
type Result[T any] struct {
	Document workload.Document
	Value    T
	// Found is set for a document of a file that nobody named, as it lay in a
	// folder, or that is treated like one.
	Found bool
}

// batch is some documents of one file.
type batch[T any] struct {
	found  bool
	chunks []workload.Chunk
	docs   []workload.Document // instead of chunks, when they are known
	done   chan []Result[T]
}

// Scan reads all arguments and calls each with every document in their order,
// and opened with the name of every file that can be read before its documents. It stops at the
// first error of either. What waits to be taken is bounded, so that memory does
// not grow with the number of files.
func (s *Scanner[T]) Scan(args []string, opened func(name string), each func(Result[T]) error) error {
	cores := runtime.GOMAXPROCS(0)
	ordered := make(chan *batch[T], 4*cores)
	args = expand(args)
	work := make(chan *batch[T])
	stop := make(chan struct{})
	var wait sync.WaitGroup
	for range cores {
		wait.Go(func() {
			for b := range work {
				b.done <- s.results(b)
			}
		})
	}
	wait.Go(func() {
		defer close(work)
		defer close(ordered)
		s.produce(args, opened, func(b *batch[T]) bool {
			select {
			case ordered <- b:
			case <-stop:
				return false
			}
			work <- b
			return true
		})
	})
	err := consume(ordered, Once{}, each)
	close(stop)
	for range ordered { // let the producer end
	}
	wait.Wait()
	return err
}

func consume[T any](ordered <-chan *batch[T], once Once, each func(Result[T]) error) error {
	for b := range ordered {
		for _, r := range <-b.done {
			r.Document.Errors = once.Of(r.Document.Errors)
			if err := each(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Once remembers what was told of one object and holds for others.
type Once map[string]bool

// Of returns those errors that say something new.
func (o Once) Of(errs []workload.InputError) []workload.InputError {
	said := func(e workload.InputError) bool {
		again := o[e.Once]
		o[e.Once] = e.Once != ""
		return again
	}
	return slices.DeleteFunc(errs, said)
}

// produce reads the files one after the other and cuts them into batches, until
// send says to stop.
func (s *Scanner[T]) produce(args []string, opened func(string), send func(*batch[T]) bool) {
	cut := func(f file) bool {
		data, err := f.read(s.Stdin)
		if err == nil {
			opened(f.name)
		} else {
			return send(&batch[T]{found: f.found, docs: []workload.Document{f.failed(err)}, done: make(chan []Result[T], 1)})
		}
		var chunks []workload.Chunk
		size := 0
		flush := func() bool {
			b := &batch[T]{found: f.found, chunks: chunks, done: make(chan []Result[T], 1)}
			chunks, size = nil, 0
			return send(b)
		}
		for c := range workload.Split(f.name, data) {
			chunks = append(chunks, c)
			if size += len(c.Data); size >= batchSize && !flush() {
				return false
			}
		}
		return len(chunks) == 0 || flush()
	}
	all := newFiles(args, s.Note, cut)
	all.likeFolder = s.LikeFolder
	for _, arg := range args {
		all.argument(arg)
	}
}

func (s *Scanner[T]) results(b *batch[T]) []Result[T] {
	var results []Result[T]
	add := func(d workload.Document) {
		results = append(results, Result[T]{Document: d, Value: s.Work(d), Found: b.found})
	}
	for _, d := range b.docs {
		add(d)
	}
	for _, c := range b.chunks {
		for _, d := range s.Kinds.Read(c) {
			add(d)
		}
	}
	return results
}
