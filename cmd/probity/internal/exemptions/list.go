// Package exemptions writes the exemptions of a configuration for what objects
// break today, so that enforcement can start on what is new.
package exemptions

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// List is what objects break. The zero value is empty.
type List struct {
	// Findings counts those that were added.
	Findings int

	rules map[object]map[string]bool
}

// object is what one exemption is for: an object in any version of its API.
type object struct{ namespace, kind, name string }

// Add takes a finding that is not exempted. It reports false for one of an object
// without a name, which nothing can be told by.
func (l *List) Add(f *validate.Finding) bool {
	if f.Exempted {
		return true
	}
	if f.Object.Name == "" {
		return false
	}
	if l.rules == nil {
		l.rules = map[object]map[string]bool{}
	}
	o := objectOf(f.Object)
	if l.rules[o] == nil {
		l.rules[o] = map[string]bool{}
	}
	l.rules[o][f.Rule] = true
	l.Findings++
	return true
}

func objectOf(r workload.Ref) object { return object{r.Namespace, r.Kind, r.Name} }

// Objects returns how many objects break anything.
func (l *List) Objects() int { return len(l.rules) }

// Terms are the same for all exemptions of a list.
type Terms struct {
	Reason string
	// Until is the last day; zero means without end.
	Until time.Time
}

// entries gives an exemption for each object, ordered by namespace, kind and name.
func (l *List) entries(t Terms) []*yaml.Node {
	objects := slices.SortedFunc(maps.Keys(l.rules), func(a, b object) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name))
	})
	var all []*yaml.Node
	for _, o := range objects {
		all = append(all, o.entry(slices.Sorted(maps.Keys(l.rules[o])), t))
	}
	return all
}

func (o object) entry(rules []string, t Terms) *yaml.Node {
	match := &yaml.Node{Kind: yaml.MappingNode}
	if o.namespace != "" { // a manifest may leave it to who applies it
		put(match, "namespaces", texts(o.namespace))
	}
	put(match, "kinds", texts(o.kind))
	put(match, "names", texts(o.name))
	entry := &yaml.Node{Kind: yaml.MappingNode}
	put(entry, "match", match)
	put(entry, "rules", texts(rules...))
	put(entry, "reason", text(t.Reason))
	if !t.Until.IsZero() {
		put(entry, "until", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!timestamp", Value: t.Until.Format(time.DateOnly)})
	}
	return entry
}

func put(mapping *yaml.Node, name string, value *yaml.Node) {
	mapping.Content = append(mapping.Content, text(name), value)
}

// text is a string, which the encoder puts in quotes where it would read as
// something else.
func text(s string) *yaml.Node {
	n := new(yaml.Node)
	if err := n.Encode(s); err != nil {
		panic(err) // unreachable: a string can be written
	}
	return n
}

// texts is a list on one line.
func texts(all ...string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, s := range all {
		list.Content = append(list.Content, text(s))
	}
	return list
}
