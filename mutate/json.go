package mutate

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// withTiming returns a startup probe made of a liveness probe's JSON: the same
// handler and all that Probity does not know of, with its own timing. The
// initial delay is left out, since the budget covers it.
func withTiming(liveness jsontext.Value, t Timing) (jsontext.Value, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(liveness))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	out := make([]byte, 0, len(liveness)+64)
	out = append(out, '{')
	for dec.PeekKind() == '"' {
		var err error
		if out, err = appendMember(out, dec); err != nil {
			return nil, err
		}
	}
	return fmt.Appendf(out, `"failureThreshold":%d,"periodSeconds":%d}`, t.FailureThreshold, t.PeriodSeconds), nil
}

// appendMember copies a member of the probe, and a comma, unless it is timing.
func appendMember(out []byte, dec *jsontext.Decoder) ([]byte, error) {
	name, err := dec.ReadToken()
	if err != nil {
		return out, err
	}
	before := len(out)
	out, _ = jsontext.AppendQuote(out, name.String()) // the decoder has checked it
	value, err := dec.ReadValue()
	if err != nil {
		return out, err
	}
	switch string(out[before:]) {
	case `"initialDelaySeconds"`, `"periodSeconds"`, `"failureThreshold"`:
		return out[:before], nil
	}
	return append(append(append(out, ':'), value...), ','), nil
}

// annotate notes on the pod template what was injected, beside what was before.
// It asks the JSON, not the model, whether annotations are there: the model
// leaves some out, and "add" on them would lose those.
func annotate(obj Object, names []string) (Operation, error) {
	metadata := "/metadata"
	if path := templatePath(obj.Workload); path != "spec" {
		metadata = workload.Pointer(path) + "/metadata"
	}
	value := quote(injectedNote(obj.Workload, names))
	member := quote(workload.AnnotationInjected)
	if has, err := hasObject(obj.Raw, metadata+"/annotations"); err != nil || has {
		return Operation{"add", metadata + "/annotations/" + escape(workload.AnnotationInjected), value}, err
	}
	annotations := "{" + string(member) + ":" + string(value) + "}"
	if has, err := hasObject(obj.Raw, metadata); err != nil || has {
		return Operation{"add", metadata + "/annotations", jsontext.Value(annotations)}, err
	}
	return Operation{"add", metadata, jsontext.Value(`{"annotations":` + annotations + "}")}, nil
}

func hasObject(raw []byte, pointer string) (bool, error) {
	value, err := workload.Raw(raw, pointer)
	if errors.Is(err, workload.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	switch value.Kind() {
	case '{':
		return true, nil
	case 'n':
		return false, nil
	default:
		return false, fmt.Errorf("%s must be an object, is %.40s", pointer, value)
	}
}

// injectedNote is the annotation's value: in the order of the containers, those
// that got a startup probe now and those that still have one from before.
func injectedNote(w *workload.Workload, names []string) string {
	before, now := validate.InjectedStartup(&w.Pod), set(names)
	var all []string
	for i := range w.Pod.Containers {
		c := &w.Pod.Containers[i]
		if now[c.Name] || c.Startup != nil && before[c.Name] {
			all = append(all, c.Name)
		}
	}
	return validate.InjectedNote(all)
}

func quote(s string) jsontext.Value {
	b, _ := jsontext.AppendQuote(nil, s) // fails only on broken UTF-8, which it then replaces
	return b
}

// escape makes a member name a token of a JSON Pointer (RFC 6901).
func escape(s string) string { return token.Replace(s) }

var token = strings.NewReplacer("~", "~0", "/", "~1")
