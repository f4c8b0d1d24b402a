// Package fix writes startup probes into the text of manifests: the lines that
// are added are the only change, so that comments, order and style stay.
package fix

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/probity-dev/probity/mutate"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Fixer adds what Probity would inject.
type Fixer struct {
	Kinds *workload.Kinds
	// Judge says which liveness probes are sound, and what is exempt as a whole.
	Judge validate.Judge
	// Injection is what is added where a workload's annotation does not say.
	Injection validate.Injection
	// Budget is the shortest startup budget that is given.
	Budget time.Duration
}

// Result is a file with its startup probes.
type Result struct {
	Text []byte
	// Documents are those of the file as it was.
	Documents []workload.Document
	// Added names what got a startup probe: `Deployment shop/orders: container "app"`.
	Added []string
	// Left says, for what should have got one, why it did not, and what annotations
	// ask for in vain.
	Left []workload.InputError
}

// File returns the text of a file with startup probes added where liveness has
// none and its check is sound. What it writes it reads again: where the result
// would be anything but the file and the probes, the file stays as it is.
func (f *Fixer) File(name string, text []byte) Result {
	r := Result{Text: text}
	e := newEditor(workload.UTF8(text))
	var want []wanted
	for chunk := range workload.Split(name, text) {
		for _, d := range f.Kinds.Read(chunk) {
			r.Documents = append(r.Documents, d)
			if d.Object != nil && d.Object.Workload != nil {
				want = append(want, f.document(e, chunk, &r)...)
			}
		}
	}
	if len(want) == 0 {
		return r
	}
	edited := e.result()
	if err := f.verify(name, edited, r.Documents, want); err != nil {
		for _, w := range want {
			r.Left = append(r.Left, w.left(&r.Documents[w.document], err))
		}
		return r
	}
	if bom := []byte("\ufeff"); bytes.HasPrefix(text, bom) {
		edited = append(bom, edited...)
	}
	r.Text = edited
	for _, w := range want {
		r.Added = append(r.Added, w.subject(&r.Documents[w.document]))
	}
	return r
}

// document has the editor insert the probes of the last document of a result, and
// returns them. What cannot be inserted is left.
func (f *Fixer) document(e *editor, chunk workload.Chunk, r *Result) (want []wanted) {
	last := len(r.Documents) - 1
	d := &r.Documents[last]
	judged := f.Judge.Workload(d.Object.Workload)
	for i := range judged.Notices {
		switch n := &judged.Notices[i]; n.Kind {
		case validate.NoticeInjection, validate.NoticeIllegal, validate.NoticeUnread: // an exemption counts here, too
			r.leave(d, n.Path, n.Message)
		}
	}
	settings, err := validate.Settings{Injection: f.Injection}.ForWorkload(d.Object.Workload)
	if err != nil || !settings.Injection.Startup || judged.Exempt.By != "" {
		return nil // an annotation that is not legal has been told
	}
	ops, err := f.operations(d, judged.Findings)
	if err != nil {
		r.leave(d, "", err.Error())
		return nil
	}
	for _, op := range ops {
		w := wanted{document: last, operation: op}
		err := repeats(d, op)
		if err == nil {
			err = e.insert(chunk, d, op)
		}
		if err != nil {
			r.Left = append(r.Left, w.left(d, err))
			continue
		}
		want = append(want, w)
	}
	r.refused(d, judged.Findings)
	return want
}

// leave notes what is to be known of a document and a field of it.
func (r *Result) leave(d *workload.Document, path, message string) {
	r.Left = append(r.Left, workload.InputError{File: d.Source.File, Line: d.Line(path), Message: d.Object.Ref.String() + ": " + message, Judged: true})
}

// refused says which containers get no startup probe for what their liveness probe is.
func (r *Result) refused(d *workload.Document, findings []validate.Finding) {
	w := d.Object.Workload
	if !mutate.Injectable(w) {
		return
	}
	refused := validate.RefusedLiveness(findings)
	for i := range w.Pod.Containers {
		c := &w.Pod.Containers[i]
		if !refused[c.Name] || c.Startup != nil {
			continue
		}
		at := wanted{operation: operation{container: w.Pod.ContainerPath(c), name: c.Name}}
		rule := findings[slices.IndexFunc(findings, func(f validate.Finding) bool {
			return f.Container == c.Name && validate.RefusedLiveness([]validate.Finding{f})[c.Name]
		})].Rule
		r.Left = append(r.Left, at.left(d, fmt.Errorf("its livenessProbe breaks %s, and would be no better as a startup probe; mend it first", rule)))
	}
}

// repeats returns an error for a liveness probe with a field that does not exist: it
// is not what its author thinks, and a copy would not be either.
func repeats(d *workload.Document, op operation) error {
	for _, e := range d.Errors {
		if field, ok := strings.CutPrefix(e.Path, op.container+".livenessProbe"); ok {
			return fmt.Errorf("its livenessProbe has a field %s that does not exist, and a copy would have it too; mend it first", strings.TrimPrefix(field, "."))
		}
	}
	return nil
}

// operation is a startup probe for one container.
type operation struct {
	// container is its field path, and name its name.
	container, name string
	probe           []byte
}

// wanted is an operation and the document that it is for.
type wanted struct {
	operation
	document int
}

func (w *wanted) subject(d *workload.Document) string {
	return fmt.Sprintf("%s: container %q", d.Object.Ref, w.name)
}

func (w *wanted) left(d *workload.Document, err error) workload.InputError {
	return workload.InputError{
		File: d.Source.File, Line: d.Line(w.container + ".livenessProbe"),
		Message: fmt.Sprintf("%s gets no startupProbe here: %v", w.subject(d), err), Judged: true,
	}
}

func (f *Fixer) operations(d *workload.Document, findings []validate.Finding) ([]operation, error) {
	w := d.Object.Workload
	in, err := mutate.Startup(mutate.Object{Workload: w, Raw: d.JSON()}, nil, findings, f.Budget)
	if err != nil {
		return nil, err
	}
	var ops []operation
	for _, op := range in.Patch {
		container, ok := strings.CutSuffix(op.Path, "/startupProbe")
		if !ok {
			continue // the note of what Probity injected: here the user does
		}
		for i := range w.Pod.Containers {
			c := &w.Pod.Containers[i]
			if path := w.Pod.ContainerPath(c); workload.Pointer(path) == container {
				ops = append(ops, operation{path, c.Name, op.Value})
			}
		}
	}
	return ops, nil
}

// verify reads what was written, and compares it with what should be there.
func (f *Fixer) verify(name string, edited []byte, before []workload.Document, want []wanted) error {
	var after []workload.Document
	for d := range f.Kinds.Documents(name, edited) {
		after = append(after, d)
	}
	if len(after) != len(before) {
		return fmt.Errorf("the file has %d objects then, not %d", len(after), len(before))
	}
	for i := range before {
		expected, err := values(before[i].JSON())
		if err != nil {
			return err
		}
		for _, w := range want {
			if w.document != i {
				continue
			}
			probe, err := values(w.probe)
			if err != nil {
				return err
			}
			if err := set(expected, workload.Pointer(w.container), probe); err != nil {
				return err
			}
		}
		got, err := values(after[i].JSON())
		if err != nil {
			return err
		}
		// A layout that the editor misread looks the same as an anchor.
		if !reflect.DeepEqual(expected, got) || len(after[i].Errors) > len(before[i].Errors) {
			return errShared
		}
	}
	return nil
}

func values(text []byte) (any, error) {
	if len(text) == 0 {
		return nil, nil
	}
	var v any
	err := json.Unmarshal(text, &v)
	return v, err
}

// set puts a startup probe into the container at a JSON Pointer.
func set(root any, pointer string, probe any) error {
	at := root
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch v := at.(type) {
		case map[string]any:
			at = v[token]
		case []any:
			i := 0
			if _, err := fmt.Sscan(token, &i); err != nil || i >= len(v) {
				return fmt.Errorf("no item %s in %s", token, pointer)
			}
			at = v[i]
		}
	}
	container, ok := at.(map[string]any)
	if !ok {
		return fmt.Errorf("no object at %s", pointer)
	}
	container["startupProbe"] = probe
	return nil
}
