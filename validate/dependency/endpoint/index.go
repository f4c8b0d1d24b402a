package endpoint

import (
	"cmp"
	"slices"
	"strings"

	"github.com/probity-dev/probity/validate/dependency"
)

// rule is an entry that is ready to be matched.
type rule struct {
	entry   Entry
	query   []condition
	headers []condition
	order   int
}

// index finds entries by the segments of a path, last segment first, so that a
// look-up costs a few map accesses however many entries there are.
type index struct {
	root  node
	home  node // entries for "/"
	count int
}

type node struct {
	next  map[string]*node
	any   *node
	plain []*rule
	// byImage is keyed by the first word of an image, byPort by the port.
	byImage map[string][]*rule
	byPort  map[string][]*rule
}

// add makes an entry known. Of entries that fit equally, those with more
// conditions are tried first, then those that were added first.
func (x *index) add(e Entry) error {
	if err := e.validate(); err != nil {
		return err
	}
	e.Images = slices.Clone(e.Images) // looked at again with each request
	r := &rule{entry: e, order: x.count}
	x.count++
	for _, s := range e.Query {
		c, err := parseCondition(s)
		if err != nil {
			return err
		}
		r.query = append(r.query, c)
	}
	for _, s := range e.Headers {
		c, err := parseCondition(s)
		if err != nil {
			return err
		}
		r.headers = append(r.headers, c)
	}
	x.place(e.Path).hold(r)
	return nil
}

// place returns the node of a path and makes it where it is missing.
func (x *index) place(path string) *node {
	if path == "/" {
		return &x.home
	}
	n := &x.root
	segments := strings.Split(path[1:], "/")
	for _, s := range slices.Backward(segments) {
		if s == "*" {
			if n.any == nil {
				n.any = &node{}
			}
			n = n.any
			continue
		}
		child := n.next[s]
		if child == nil {
			child = &node{}
			if n.next == nil {
				n.next = map[string]*node{}
			}
			n.next[s] = child
		}
		n = child
	}
	return n
}

func (n *node) hold(r *rule) {
	if len(r.entry.Images) == 0 && len(r.entry.Ports) == 0 {
		n.plain = insert(n.plain, r)
		return
	}
	for _, image := range r.entry.Images {
		if n.byImage == nil {
			n.byImage = map[string][]*rule{}
		}
		first, _ := cutWord(image)
		if !slices.Contains(n.byImage[first], r) {
			n.byImage[first] = insert(n.byImage[first], r)
		}
	}
	for _, port := range r.entry.Ports {
		if n.byPort == nil {
			n.byPort = map[string][]*rule{}
		}
		n.byPort[port] = insert(n.byPort[port], r)
	}
}

// insert keeps a list in the order in which rules are tried.
func insert(rules []*rule, r *rule) []*rule {
	rules = append(rules, r)
	slices.SortStableFunc(rules, before)
	return rules
}

// before orders rules: more conditions first, then the order of the table.
func before(a, b *rule) int {
	return cmp.Or(
		cmp.Compare(len(b.query)+len(b.headers), len(a.query)+len(a.headers)),
		cmp.Compare(a.order, b.order),
	)
}

// find returns the rule that fits the longest part of the path, or nil.
func (x *index) find(a *address, r *Request) *rule {
	if len(a.segments) == 0 {
		return x.home.match(a, r)
	}
	return x.root.deepest(a, len(a.segments)-1, r)
}

// deepest goes on to the segment i and prefers what is found there.
func (n *node) deepest(a *address, i int, r *Request) *rule {
	if i >= 0 {
		if child := n.next[string(a.segment(i))]; child != nil {
			if found := child.deepest(a, i-1, r); found != nil {
				return found
			}
		}
		if n.any != nil {
			if found := n.any.deepest(a, i-1, r); found != nil {
				return found
			}
		}
	}
	return n.match(a, r)
}

// match returns the node's rule for the request: one with evidence for its
// product before one without.
func (n *node) match(a *address, r *Request) *rule {
	best := n.matchImage(a, r)
	if n.byPort != nil && r.Port != "" {
		best = earlier(best, firstThatHolds(n.byPort[r.Port], a, r))
	}
	if best != nil {
		return best
	}
	return firstThatHolds(n.plain, a, r)
}

// matchImage looks up each word of the image's name.
func (n *node) matchImage(a *address, r *Request) *rule {
	if n.byImage == nil || r.Image == "" {
		return nil
	}
	name := imageName(r.Image)
	var best *rule
	for at := name; at != ""; {
		word, rest := cutWord(at)
		for _, candidate := range n.byImage[word] {
			if candidate.fitsImage(name[:len(name)-len(at)], at) && candidate.holds(a, r) {
				best = earlier(best, candidate)
				break
			}
		}
		at = rest
	}
	return best
}

// earlier returns the rule that is tried first; either may be nil.
func earlier(a, b *rule) *rule {
	if a == nil || (b != nil && before(b, a) < 0) {
		return b
	}
	return a
}

func firstThatHolds(rules []*rule, a *address, r *Request) *rule {
	for _, candidate := range rules {
		if candidate.holds(a, r) {
			return candidate
		}
	}
	return nil
}

// fitsImage tells whether one of the rule's images stands between what is in front
// of it in an image's name and the rest, and this does not make it another product.
func (r *rule) fitsImage(front, name string) bool {
	for _, image := range r.entry.Images {
		rest, ok := strings.CutPrefix(name, image)
		if !ok || (rest != "" && !isSeparator(rest[0])) {
			continue
		}
		if !namesCompanion(front) && !namesCompanion(rest) {
			return true
		}
	}
	return false
}

// holds tells whether the request satisfies the rule's conditions.
func (r *rule) holds(a *address, req *Request) bool {
	for _, c := range r.query {
		if !c.inQuery(a) {
			return false
		}
	}
	for _, c := range r.headers {
		if !c.inHeaders(req.Headers) {
			return false
		}
	}
	return true
}

// inQuery tells whether the condition is met; a parameter may be given often.
func (c condition) inQuery(a *address) bool {
	for _, p := range a.params {
		if string(a.part(p.key)) == c.name && c.holds(string(a.part(p.value))) {
			return !c.absent
		}
	}
	return c.absent
}

func (c condition) inHeaders(headers []Header) bool {
	for _, h := range headers {
		if strings.EqualFold(h.Name, c.name) && c.holds(strings.ToLower(h.Value)) {
			return !c.absent
		}
	}
	return c.absent
}

func (r *rule) answer(path string) dependency.Answer {
	return dependency.Answer{
		Scope:     r.entry.Scope,
		Likely:    r.entry.Likely,
		Readiness: r.entry.Readiness,
		Generic:   r.entry.Generic,
		Asks:      r.entry.Asks,
		Evidence:  quotedPath(path),
		Instead:   r.entry.Instead,
		Source:    r.entry.Source,
	}
}
