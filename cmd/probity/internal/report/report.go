// Package report renders what commands find: one Handler of results, one
// renderer a format.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Handler takes results in the order of the input. Finish comes last, once.
type Handler interface {
	// Object takes a judged object, with or without findings.
	Object(Object) error
	// InputError takes what is wrong with the input.
	InputError(workload.InputError) error
	// Notice takes what should be known of an exemption.
	Notice(Notice) error
	Finish(Totals) error
}

// Object is one judged object.
type Object struct {
	Ref    workload.Ref
	Source workload.Source
	// Note stands behind the name for people; it may be empty.
	Note string
	// Findings are in the order of the manifest.
	Findings []Finding
}

// Finding is a finding with its place in a file.
type Finding struct {
	validate.Finding
	Source workload.Source
}

// Notice is about an annotation that is not legal, or an exemption that is over, ends
// soon or exempts from nothing. It does not change the exit status.
type Notice struct {
	// Source is the annotation's, or in the configuration.
	Source workload.Source
	// Message is a sentence without its full stop.
	Message string
}

// Totals are known at the end.
type Totals struct {
	validate.Summary
	// Faulty counts the objects with findings.
	Faulty int
	// Files counts the files that were read, and Foreign those of them, in
	// folders, that hold no Kubernetes object.
	Files, Foreign int
	// Unrendered counts Helm charts, and kustomizations with patches: they are not
	// judged as they stand.
	Unrendered int
	// Harmless counts those of the errors that kept nothing from being judged.
	Harmless int
	// Notices counts what is to be said of exemptions and annotations.
	Notices int
	Profile validate.Profile
	Mode    validate.Mode
	// Cluster is set when the objects are those of a cluster.
	Cluster *Cluster
}

// Cluster is where objects come from, in place of files.
type Cluster struct {
	// Namespaces counts those that were judged, and Off those that were not for
	// their mode.
	Namespaces, Off int
	// Coverage are the workloads that a disruption budget is for.
	Coverage []validate.Coverage
}

// Output is where a renderer writes, and what it may use there.
type Output struct {
	Writer io.Writer
	// Colour is set for terminals that want it.
	Colour bool
	// Width is a terminal's number of columns; 0 means that lines stay whole.
	Width int
	// Version is Probity's own.
	Version string
}

// format is one of the forms of output.
type format struct {
	name string
	make func(Output) Handler
}

func formats() []format {
	return []format{
		{"text", newText},
		{"json", newJSON},
		{"sarif", newSARIF},
		{"junit", newJUnit},
		{"github", newGitHub},
		{"markdown", newMarkdown},
	}
}

// Formats returns the names of the formats, the default first.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// New returns the renderer of a format.
func New(name string, out Output) (Handler, error) {
	all := formats()
	i := slices.IndexFunc(all, func(f format) bool { return f.name == name })
	if i < 0 {
		return nil, fmt.Errorf("output format %q is not legal: must be %s", name, oneOf(Formats()))
	}
	return all[i].make(out), nil
}

// oneOf gives "a, b or c".
func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
