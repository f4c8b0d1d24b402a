package endpoint

import (
	"strings"

	"github.com/probity-dev/probity/validate/dependency"
)

// verdict is what the words of a request say.
type verdict struct {
	scope     dependency.Scope
	likely    bool
	readiness bool
	generic   bool
	asks      string
}

// Texts for what has no dependency in its name.
const (
	asksProcess   = "whether this process answers"
	asksReadiness = "whether this instance is ready for traffic"
	asksStart     = "whether this instance has started"
	asksGeneric   = "an endpoint that may check anything"
	asksCache     = "the cache"
	asksOthers    = "its dependencies"
	asksAll       = "every check it has"
)

func (v verdict) answer(path string) dependency.Answer {
	if v == (verdict{}) {
		return dependency.Answer{}
	}
	return dependency.Answer{
		Scope:     v.scope,
		Likely:    v.likely,
		Readiness: v.readiness,
		Generic:   v.generic,
		Asks:      v.asks,
		Evidence:  quotedPath(path),
	}
}

// read judges a request by its words alone.
func (c *Classifier) read(a *address, r *Request) verdict {
	v, inContext := c.readPath(a, r.Image)
	if inContext && len(a.params) > 0 {
		v = c.readQuery(a, v)
	}
	if v.generic && len(r.Headers) > 0 {
		v = c.readHeaders(r.Headers, v)
	}
	return v
}

// outline is what the segments of a path have in common.
type outline struct {
	all    class   // the classes of all segments
	last   meaning // of the last segment
	before meaning // of the one before
	named  meaning // the dependency that a health context names
}

func (c *Classifier) outline(a *address) outline {
	var o outline
	for i := range a.segments {
		m := c.segmentMeaning(a, a.segments[i])
		inContext := o.all.has(contextual)
		if i == len(a.segments)-1 {
			// "/db-check" is its own context. In front of other segments it
			// is rather the name of a service.
			inContext = inContext || m.class.has(contextual)
		}
		if m.class.has(asking) && inContext && !o.named.class.has(system) {
			o.named = m
		}
		o.all |= m.class
		o.before, o.last = o.last, m
	}
	return o
}

// readPath judges the path and tells whether it is about health at all.
func (c *Classifier) readPath(a *address, image string) (v verdict, inContext bool) {
	if len(a.segments) == 0 {
		return verdict{generic: true, asks: asksGeneric}, false
	}
	o := c.outline(a)
	inContext = o.all.has(contextual)

	switch {
	case o.last.class.has(live) && !o.last.class.has(asking):
		// "/db/livez" is the liveness of a service named db, and
		// "/actuator/health/liveness" is local below an aggregate.
		v = verdict{scope: dependency.Process, asks: asksProcess}
	case o.named.class != 0 && !isOwnSystem(image, o.named.word, c.words):
		v = verdict{
			scope:     dependency.Shared,
			likely:    !o.named.class.has(system),
			readiness: o.all.has(ready),
			asks:      o.named.word.asks,
		}
	case o.all.has(ready):
		v = verdict{scope: dependency.Instance, readiness: true, asks: asksReadiness}
	case o.named.class != 0:
		v = verdict{scope: dependency.Instance, asks: "this instance about itself"}
	case o.before.class.has(leading) && o.last.class.has(health) && !isOwnSystem(image, o.before.word, c.words):
		v = verdict{scope: dependency.Shared, likely: true, asks: o.before.word.asks}
	case o.last.class.has(started):
		v = verdict{scope: dependency.Instance, asks: asksStart}
	case o.last.class.has(shallow) && inContext:
		v = verdict{scope: dependency.Process, asks: asksProcess}
	case o.last.class.has(health):
		v = verdict{generic: true, asks: asksGeneric}
	}
	// A readiness check that may or may not ask others is readiness for
	// certain: the doubt must not soften the finding.
	if v.readiness && v.likely {
		v = verdict{scope: dependency.Instance, readiness: true, asks: asksReadiness}
	}
	return v, inContext
}

// isOwnSystem tells whether the container is the system that a word names, so
// that asking it is asking itself. Every word of the image's name must say so:
// "redis-alpine" is Redis, "orders-redis-worker" is not.
func isOwnSystem(image string, w word, words map[string]word) bool {
	name := imageName(image)
	if name == "" || w.asks == "" {
		return false
	}
	own := false
	for name != "" {
		var part string
		part, name = cutWord(name)
		switch {
		case words[part].asks == w.asks:
			own = true
		case !isVariant(part):
			return false
		}
	}
	return own
}

// isVariant tells whether a word of an image's name says only which build it is.
func isVariant(part string) bool {
	switch part {
	case "server", "alpine", "oss", "community", "enterprise", "ha", "cluster", "repmgr",
		"sharded", "standalone", "slim", "stack", "ce", "ee", "edge", "node", "data", "debian":
		return true
	}
	return false
}

// readQuery lets the query of a health endpoint make the verdict deeper or
// shallower.
func (c *Classifier) readQuery(a *address, v verdict) verdict {
	for _, p := range a.params {
		key := c.segmentMeaning(a, p.key)
		value := a.part(p.value)
		on := isTrue(string(value))
		switch {
		case key.word.asks == asksCache:
			// "cache=false" is about the answer, not about a cache.
		case isFalse(string(value)):
			if key.class.has(asking) && v.generic {
				v = verdict{scope: dependency.Process, asks: asksProcess}
			}
		case on && key.class&^choosing != 0:
			v = v.with(key)
		case key.class.has(choosing):
			v = c.readChoice(a, p.value, v)
		case key.class.has(asking):
			// "?full=all", "?deep=database": the value must be known.
			if c.segmentMeaning(a, p.value).class.has(asking) {
				v = v.with(key)
			}
		}
	}
	return v
}

// readChoice reads a list of checks: "?check=db,redis".
func (c *Classifier) readChoice(a *address, list span, v verdict) verdict {
	for from := list.from; from < list.to; {
		to := from
		for to < list.to && a.text[to] != ',' {
			to++
		}
		v = v.with(c.segmentMeaning(a, span{from, to}))
		from = to + 1
	}
	return v
}

// with adds what a parameter says. It never weakens what is known already.
func (v verdict) with(m meaning) verdict {
	switch {
	case m.class.has(system) && v.scope != dependency.Shared:
		// On a path that is named after liveness the two contradict each other.
		return verdict{
			scope:     dependency.Shared,
			likely:    v.scope == dependency.Process,
			readiness: v.readiness,
			asks:      m.word.asks,
		}
	case m.class.has(vague) && (v.generic || v.scope == dependency.Unknown || m.word.asks == asksAll && v.scope == dependency.Process):
		// "full=true" is what it says, whatever the path is called.
		return verdict{scope: dependency.Shared, likely: true, asks: m.word.asks}
	case m.class.has(ready) && v.scope != dependency.Shared:
		return verdict{scope: dependency.Instance, readiness: true, asks: asksReadiness}
	case m.class.has(live|shallow) && v.generic:
		return verdict{scope: dependency.Process, asks: asksProcess}
	default:
		return v
	}
}

// readHeaders looks for a header that names the kind of probe, such as
// "X-Health-Check: liveness".
func (c *Classifier) readHeaders(headers []Header, v verdict) verdict {
	for _, h := range headers {
		if !c.namesProbe(h.Name) {
			continue
		}
		switch kind := c.words[strings.ToLower(h.Value)].class; {
		case kind.has(live | shallow):
			return verdict{scope: dependency.Process, asks: asksProcess}
		case kind.has(ready):
			return verdict{scope: dependency.Instance, readiness: true, likely: true, asks: asksReadiness}
		}
	}
	return v
}

// namesProbe tells whether a word of a header's name is about health.
func (c *Classifier) namesProbe(header string) bool {
	for part := range strings.SplitSeq(strings.ToLower(header), "-") {
		if c.words[part].class.has(health) {
			return true
		}
	}
	return false
}

// isTrue tells whether a parameter is switched on.
func isTrue(value string) bool {
	switch value {
	case "", "true", "1", "yes", "on", "y", "t":
		return true
	}
	return false
}
