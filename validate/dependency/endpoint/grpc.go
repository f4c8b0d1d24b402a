package endpoint

import (
	"bytes"

	"github.com/probity-dev/probity/validate/dependency"
)

// GRPC tells what the gRPC health service of this name asks. The name is free
// text for the server, but most are either a word for a kind of check
// ("readiness") or the full name of an RPC service ("orders.v1.Orders").
func (c *Classifier) GRPC(service string) dependency.Answer {
	if service == "" {
		return dependency.Answer{Scope: dependency.Process, Asks: "whether the gRPC server is serving"}
	}
	var room workspace
	text := append(room.text[:0], service...)
	a := address{text: text, lower: appendLower(room.lower[:0], text)}
	return c.readService(&a).answer(service)
}

// readService judges a service by its last part; the parts before it are a
// package and give no more than the context.
func (c *Classifier) readService(a *address) verdict {
	text := bytes.TrimRight(a.text, "./")
	from := bytes.LastIndexAny(text, "./") + 1
	last := c.segmentMeaning(a, span{from, len(text)})

	switch {
	case last.class.has(asking):
		if !last.class.has(contextual) && !c.isAboutHealth(a, from) {
			return bareName(last, from == 0, isLower(text[from]))
		}
		return verdict{scope: dependency.Shared, likely: !last.class.has(system), asks: last.word.asks}
	case last.class.has(ready):
		return verdict{scope: dependency.Instance, readiness: true, asks: asksReadiness}
	case last.class.has(started):
		return verdict{scope: dependency.Instance, asks: asksStart}
	case last.class.has(live | shallow | health):
		return verdict{scope: dependency.Process, asks: asksProcess}
	default:
		return c.kindOfProbe(a.text[from:len(text)], a.lower[from:len(text)])
	}
}

// kindOfProbe judges by the last word alone, for keys such as "orders-readiness".
func (c *Classifier) kindOfProbe(text, lower []byte) verdict {
	last := 0
	for from := 0; from < len(text); {
		last = from
		from = nextWord(text, from)
		if from < len(text) && isSeparator(text[from]) {
			from++
		}
	}
	switch kind := c.words[string(lower[last:])].class; {
	case kind.has(ready):
		return verdict{scope: dependency.Instance, readiness: true, asks: asksReadiness}
	case kind.has(live):
		return verdict{scope: dependency.Process, asks: asksProcess}
	default:
		return verdict{}
	}
}

// isAboutHealth tells whether a part of the package is a health word.
func (c *Classifier) isAboutHealth(a *address, end int) bool {
	for from := 0; from < end; {
		to := from
		for to < end && a.text[to] != '.' && a.text[to] != '/' {
			to++
		}
		if c.segmentMeaning(a, span{from, to}).class.has(contextual) {
			return true
		}
		from = to + 1
	}
	return false
}

// bareName judges a service that is called like a dependency and says nothing of
// health. "redis" alone is a key that somebody chose for a check of Redis, and so
// most likely are "shop.redis" and "shop-redis". In a package, with a capital, it is an
// RPC service of one's own that is called so, and a vague name such as "search" is
// that even alone.
func bareName(m meaning, alone, small bool) verdict {
	switch {
	case small && (m.partly || !alone && m.class.has(system)):
		return verdict{scope: dependency.Shared, likely: true, asks: m.word.asks}
	case !alone:
		return verdict{}
	case m.class.has(system):
		return verdict{scope: dependency.Shared, asks: m.word.asks}
	case m.word.asks == asksAll, m.word.asks == asksOthers:
		return verdict{scope: dependency.Shared, likely: true, asks: m.word.asks}
	default:
		return verdict{}
	}
}
