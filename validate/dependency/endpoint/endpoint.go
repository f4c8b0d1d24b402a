// Package endpoint tells what a probe's HTTP request or gRPC service asks: only
// this process, this instance, or something that every replica shares.
//
// It knows two things. A table of products (see Entry) says what their health
// endpoints ask, with the source of each fact. For all other paths the words of
// the path decide: "readyz" is a readiness check and "/health/db" asks a
// database. Words count as whole segments only, so "/feedback" is nothing, and
// what the name does not show stays unknown: a false finding costs more than a
// missed one.
package endpoint

import (
	"sync"

	"github.com/probity-dev/probity/validate/dependency"
)

// Header is one HTTP header of the request.
type Header struct{ Name, Value string }

// Request is an HTTP request as a probe or a command states it.
type Request struct {
	// Path is the path as it is written, query included. Empty means "/".
	// A whole URL is read too, its scheme and host are left out.
	Path string
	// Port is a number or a name, and may be empty.
	Port string
	// Image is the container's image, which tells products apart that share a
	// path. Empty means unknown.
	Image string
	// Headers are the request's own headers.
	Headers []Header
}

// Options add to what a Classifier knows from the start.
type Options struct {
	// Entries are looked at before the built-in ones.
	Entries []Entry
	// Words name further dependencies. Each is a whole path segment, such as
	// "payments": "/health/payments" then asks a dependency for certain.
	Words []string
}

// Classifier answers from the built-in table and from what Options add. It does
// not change after New and is safe for concurrent use.
type Classifier struct {
	index index
	words map[string]word
}

// New returns a classifier that knows the built-in table and the options. The
// error names the entry or word that is malformed and says what is legal.
func New(opts Options) (*Classifier, error) {
	words := vocabulary()
	for _, w := range opts.Words {
		if err := addWord(words, w); err != nil {
			return nil, err
		}
	}
	c := &Classifier{words: words}
	for _, entries := range [][]Entry{opts.Entries, Table()} {
		for i := range entries {
			if err := c.index.add(entries[i]); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// standard is the classifier behind the plain functions. It is made at first
// use, so that commands which judge nothing do not pay for it.
var standard = sync.OnceValue(func() *Classifier {
	c, err := New(Options{})
	if err != nil {
		panic("endpoint: malformed built-in table: " + err.Error())
	}
	return c
})

// HTTP tells what the request asks, by the built-in table.
func HTTP(r Request) dependency.Answer { return standard().HTTP(r) }

// GRPC tells what a gRPC health service of this name asks.
func GRPC(service string) dependency.Answer { return standard().GRPC(service) }

// HTTP tells what the request asks. The zero answer means that nothing shows it.
func (c *Classifier) HTTP(r Request) dependency.Answer {
	var room workspace
	a := parse(r.Path, &room)
	known := c.index.find(&a, &r)
	if known == nil {
		return c.read(&a, &r).answer(r.Path)
	}
	if known.entry.Scope == dependency.Unknown {
		// Where the product leaves it to the application, a name may tell:
		// "/q/health/group/database".
		if v := c.read(&a, &r); v.scope == dependency.Shared || v.readiness {
			return v.answer(r.Path)
		}
	}
	return known.answer(r.Path)
}
