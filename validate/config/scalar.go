package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/probity-dev/probity/validate/internal/spelling"
)

// scalar is a single value, read from its text.
type scalar struct {
	// want says what is legal: "must be true or false".
	want string
	// tags are the YAML types that are taken.
	tags []string
	// set takes the text; false for one that is not legal.
	set func(text string) bool
	// names are what can be meant; lists says where they all stand, when they
	// are too many for want.
	names []string
	lists string
	is    schema
}

// YAML's own types.
const (
	tagNull   = "!!null"
	tagBool   = "!!bool"
	tagInt    = "!!int"
	tagFloat  = "!!float"
	tagString = "!!str"
	tagDate   = "!!timestamp"
)

func (s scalar) read(d *decoder, n *yaml.Node, path string) {
	n = d.follow(n)
	if n.Kind != yaml.ScalarNode || !slices.Contains(s.tags, n.ShortTag()) || !s.set(n.Value) {
		d.problem(n, path, "%s, is %s%s", s.want, show(n), s.hint(n))
	}
}

// hint says how to mend a value that is nearly right.
func (s scalar) hint(n *yaml.Node) string {
	tag := n.ShortTag()
	switch near := spelling.Nearest(n.Value, s.names); {
	case n.Kind != yaml.ScalarNode:
		return ""
	case tag == tagBool && slices.Contains(s.names, "off"):
		// YAML 1.1, which some tools read, takes off without quotes for false.
		return `; put off in quotes, some tools make false of it`
	case tag == tagString && near != "":
		return fmt.Sprintf("; did you mean %q?", near)
	case tag == tagString && s.lists != "":
		return "; " + s.lists
	case (tag == tagBool || tag == tagInt || tag == tagFloat) && !slices.Contains(s.tags, tag) && s.set(n.Value):
		return "; put it in quotes"
	default:
		return ""
	}
}

func (s scalar) schema() *schema {
	is := s.is
	return &is
}

// anything is any text but none at all.
var anything = regexp.MustCompile(`\S`)

func text[T ~string](target *T) value { return matching(target, "must be text", anything) }

func boolean(set func(bool)) value {
	return scalar{
		want: "must be true or false", tags: []string{tagBool}, is: schema{Type: "boolean"},
		set: func(t string) bool {
			set(strings.EqualFold(t, "true"))
			return true
		},
	}
}

func count(set func(int), least int) value {
	return scalar{
		want: fmt.Sprintf("must be a whole number of %d or more", least), tags: []string{tagInt},
		is: schema{Type: "integer", Minimum: &least},
		set: func(t string) bool {
			n, err := strconv.ParseUint(t, 10, 31)
			set(int(n))
			return err == nil && int(n) >= least
		},
	}
}

// matching is text of one form.
func matching[T ~string](target *T, want string, form *regexp.Regexp) value {
	return scalar{
		want: want, tags: []string{tagString}, is: schema{Type: "string", Pattern: form.String()},
		set: func(t string) bool {
			*target = T(t)
			return form.MatchString(t)
		},
	}
}

// durations are whole seconds: probes know nothing shorter.
var durations = regexp.MustCompile(`^([0-9]+[hms])+$`)

func duration(set func(time.Duration)) value {
	return scalar{
		want: "must be a duration such as 30s, 5m or 1h30m", tags: []string{tagString},
		is: schema{Type: "string", Pattern: durations.String()},
		set: func(t string) bool {
			d, err := time.ParseDuration(t)
			set(d)
			return err == nil && durations.MatchString(t)
		},
	}
}

// date is a day, at its start in UTC.
func date(set func(time.Time)) value {
	return scalar{
		want: "must be a date such as 2027-01-31", tags: []string{tagString, tagDate},
		is: schema{Type: "string", Pattern: `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`, Format: "date"},
		set: func(t string) bool {
			day, err := time.Parse(time.DateOnly, t)
			set(day)
			return err == nil
		},
	}
}

// enum is one of a few names.
func enum[T any](set func(T), parse func(string) (T, error), names ...string) value {
	return scalar{
		want: "must be " + choices(names), tags: []string{tagString}, names: names,
		is: schema{Type: "string", Enum: names},
		set: func(t string) bool {
			v, err := parse(t)
			if err == nil {
				set(v)
			}
			return err == nil
		},
	}
}

// choice is a name that stands for a value.
type choice[T any] struct {
	name  string
	value T
}

// oneOf is one of a few values by their names.
func oneOf[T any](set func(T), all ...choice[T]) value {
	names := make([]string, len(all))
	for i, c := range all {
		names[i] = c.name
	}
	parse := func(t string) (T, error) {
		i := slices.Index(names, t)
		if i < 0 {
			var none T
			return none, fmt.Errorf("%q is not legal", t)
		}
		return all[i].value, nil
	}
	return enum(set, parse, names...)
}

// to writes into a variable.
func to[T any](target *T) func(T) { return func(v T) { *target = v } }

// said writes into a pointer, which tells what is written from what is not.
func said[T any](target **T) func(T) { return func(v T) { *target = &v } }
