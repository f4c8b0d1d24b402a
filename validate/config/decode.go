package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/probity-dev/probity/escape"
)

const (
	// maxSize is what a ConfigMap can hold (k8s.io/api, MaxSecretSize), and some.
	maxSize = 2 << 20
	// maxValues bounds what aliases make of a small file.
	maxValues = 100_000
	// maxProblems is as many as a person reads at once.
	maxProblems = 100
)

// Error says all that is wrong with a configuration, by line.
type Error struct {
	File     string
	Problems []Problem
	// More counts the problems beyond those listed.
	More int
}

// Problem is one thing wrong with a configuration.
type Problem struct {
	// Line counts from 1; 0 means the file as a whole.
	Line int
	// Path is the field's: "rules.liveness-window.action"; empty for the file.
	Path string
	// Message continues the path: `must be deny, warn or off, is "no"`.
	Message string
}

// Error is Lines, joined.
func (e *Error) Error() string { return strings.Join(e.Lines(), "\n") }

// Lines gives each problem a line: "config.yaml:7: defaults.mode must be ...".
func (e *Error) Lines() []string {
	lines := make([]string, 0, len(e.Problems)+1)
	for _, p := range e.Problems {
		line := e.File + ":"
		if p.Line > 0 {
			line += strconv.Itoa(p.Line) + ":"
		}
		if p.Path != "" {
			line += " " + p.Path
		}
		lines = append(lines, line+" "+p.Message)
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more", e.File, e.More))
	}
	return lines
}

// decoder notes what is wrong while values are read.
type decoder struct {
	problems []Problem
	// found counts problems, also those that are not kept.
	found int
	// visited counts values, aliases followed; full is set beyond maxValues.
	visited int
	full    bool
}

func (d *decoder) problem(n *yaml.Node, path, format string, args ...any) {
	d.found++
	if len(d.problems) < maxProblems {
		d.problems = append(d.problems, Problem{Line: n.Line, Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

func (d *decoder) error(file string) error {
	if d.found == 0 {
		return nil
	}
	slices.SortStableFunc(d.problems, func(a, b Problem) int { return a.Line - b.Line })
	return &Error{File: file, Problems: d.problems, More: d.found - len(d.problems)}
}

// follow returns what an alias stands for.
func (d *decoder) follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// want returns the node if it is of a kind. Nothing at all, as a field is left
// whose content is commented out, counts as empty.
func (d *decoder) want(n *yaml.Node, kind yaml.Kind, path, message string) (*yaml.Node, bool) {
	n = d.follow(n)
	d.visited += 1 + len(n.Content)
	switch {
	case d.visited > maxValues:
		if !d.full {
			d.full = true
			d.problem(n, path, "is too much; a configuration has at most %d values, aliases followed", maxValues)
		}
		return nil, false
	case n.Kind == kind:
		return n, true
	case n.Kind == yaml.ScalarNode && n.ShortTag() == tagNull:
		return &yaml.Node{Kind: kind, Line: n.Line}, true
	default:
		d.problem(n, path, "%s, is %s", message, show(n))
		return nil, false
	}
}

// syntax reads the text as one YAML document and returns its root.
func (d *decoder) syntax(data []byte) (root *yaml.Node) {
	start := &yaml.Node{Line: 1}
	defer func() {
		if r := recover(); r != nil {
			d.problem(start, "", "cannot be read as YAML: %v", r)
			root = nil
		}
	}()
	if len(data) > maxSize {
		d.problem(start, "", "is over the limit of %d bytes", maxSize)
		return nil
	}
	var doc, more yaml.Node
	stream := yaml.NewDecoder(bytes.NewReader(data))
	err := stream.Decode(&doc)
	switch {
	case errors.Is(err, io.EOF) || err == nil && doc.Content[0].ShortTag() == tagNull:
		d.problem(start, "", "is empty; it must hold apiVersion: %s and kind: %s", APIVersion, Kind)
		return nil
	case err != nil:
		d.problem(yamlLine(err), "", "is not YAML: %s", yamlMessage(err))
		return nil
	}
	if err := stream.Decode(&more); err == nil {
		d.problem(&more, "", "is a second document; a configuration is one")
		return nil
	} else if !errors.Is(err, io.EOF) {
		d.problem(yamlLine(err), "", "is not YAML: %s", yamlMessage(err))
		return nil
	}
	return doc.Content[0]
}

// yamlPosition is how the YAML parser begins its messages.
const yamlPosition = `^(?:yaml: )?(?:line (\d+): )?`

func yamlLine(err error) *yaml.Node {
	digits := regexp.MustCompile(yamlPosition).FindStringSubmatch(err.Error())[1]
	line, _ := strconv.Atoi(digits) // 0 when the parser gave none
	return &yaml.Node{Line: line}
}

func yamlMessage(err error) string {
	return regexp.MustCompile(yamlPosition).ReplaceAllString(err.Error(), "")
}

// show writes what stands in a place, for a message.
func show(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.AliasNode:
		return "an alias"
	case n.ShortTag() == tagNull:
		return "empty"
	case n.ShortTag() == tagString:
		return strconv.Quote(clip(n.Value))
	default:
		return plain(n.Value)
	}
}

// plain puts a name in quotes that would not read as one.
func plain(s string) string {
	if quoted := strconv.Quote(clip(s)); quoted[1:len(quoted)-1] != s || s == "" || strings.ContainsAny(s, " :") {
		return quoted
	}
	return s
}

// clip shows at most 60 bytes of a value that may be of any length.
func clip(s string) string { return escape.Begin(s, 60) }
