package workload

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/probity-dev/probity/workload/jsonscan"
)

// maxRepairs bounds how many illegal fields of one object are put aside.
const maxRepairs = 32

// decodeOptions: names are case-sensitive, as on the API server, and members
// that rules do not read are skipped. Duplicates and broken UTF-8 have been
// dealt with before (API server, YAML reader); checking again costs time. The
// decoder itself refuses a nesting of more than 10,000, as the API server does.
var decodeOptions = json.JoinOptions(
	jsontext.AllowDuplicateNames(true),
	jsontext.AllowInvalidUTF8(true),
	json.WithUnmarshalers(boundLists()),
)

// DecoderOptions are the options for a jsontext.Decoder that is handed to
// DecodeFrom.
func DecoderOptions() json.Options { return decodeOptions }

// header is what says how to read the rest.
type header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// Decode reads one object in JSON. Fields of the wrong type become Problems of
// the workload and the rest is still read; an error means that nothing could be
// read (no JSON, no kind, too deep).
func (k *Kinds) Decode(data []byte) (*Object, error) {
	var h header
	if err := json.Unmarshal(data, &h, decodeOptions); err != nil {
		return nil, fmt.Errorf("not a Kubernetes object in JSON: %w", decodeError(data, err))
	}
	if h.Kind == "" || h.APIVersion == "" {
		return nil, errors.New("not a Kubernetes object: apiVersion and kind are required")
	}
	return k.DecodeAs(data, h.APIVersion, h.Kind)
}

// DecodeAs is Decode for an object whose apiVersion and kind are known.
func (k *Kinds) DecodeAs(data []byte, apiVersion, kind string) (*Object, error) {
	if obj := k.Scan(jsonscan.New(data), apiVersion, kind); obj != nil {
		return obj, nil
	}
	var problems []Problem
	for {
		obj, err := k.decode(jsontext.NewDecoder(bytesReader(data), decodeOptions), apiVersion, kind, problems)
		if err == nil {
			return obj, nil
		}
		var bad *json.SemanticError
		if !errors.As(err, &bad) || bad.JSONPointer == "" || len(problems) == maxRepairs {
			return nil, fmt.Errorf("%s %s: %w", apiVersion, kind, decodeError(data, err))
		}
		problems = append(problems, Problem{Path: fieldPath(bad.JSONPointer), Message: mismatch(data, bad)})
		if data, err = withNull(data, bad.JSONPointer); err != nil {
			return nil, fmt.Errorf("%s %s: %w", apiVersion, kind, err)
		}
	}
}

// DecodeFrom reads the next value of dec as an object of that apiVersion and
// kind, in one pass. It is strict: a field of the wrong type is a
// *json.SemanticError, and DecodeAs is the way to read around it.
func (k *Kinds) DecodeFrom(dec *jsontext.Decoder, apiVersion, kind string) (*Object, error) {
	return k.decode(dec, apiVersion, kind, nil)
}

// decode reads an object and notes its problems behind those already known.
func (k *Kinds) decode(dec *jsontext.Decoder, apiVersion, kind string, known []Problem) (*Object, error) {
	l, ok := k.layouts[groupKind{group(apiVersion), kind}]
	if !ok {
		return decodeOther(dec, apiVersion, kind)
	}
	obj, err := l.decode(dec, apiVersion, kind)
	if err != nil {
		return nil, err
	}
	if err := obj.finish(l, known); err != nil {
		return nil, err
	}
	return obj, nil
}

// finish reads what was put off, and notes problems behind those already known.
func (o *Object) finish(l layout, known []Problem) error {
	switch {
	case o.Workload != nil:
		if err := o.Workload.readEnvironment(); err != nil {
			return err
		}
		ofInit := o.Workload.Problems
		o.Workload.Problems = known
		o.Workload.findProblems(l.custom)
		o.Workload.Problems = append(o.Workload.Problems, ofInit...)
	case o.Budget != nil:
		o.Budget.Problems = known
		o.Budget.findProblems()
	}
	return nil
}

func (l layout) decode(dec *jsontext.Decoder, apiVersion, kind string) (*Object, error) {
	switch l.form {
	case formPod:
		return decodeInto(dec, &podObject{}, apiVersion, kind, l)
	case formTemplate:
		return decodeInto(dec, &templateObject{}, apiVersion, kind, l)
	case formCronJob:
		return decodeInto(dec, &cronJobObject{}, apiVersion, kind, l)
	case formBudget:
		return decodeInto(dec, &budgetObject{}, apiVersion, kind, l)
	case formNamespace:
		return decodeInto(dec, &namespaceObject{}, apiVersion, kind, l)
	case formAutoscaler:
		return decodeInto(dec, &autoscalerObject{}, apiVersion, kind, l)
	default:
		return decodeInto(dec, &customObject{template: l.template}, apiVersion, kind, l)
	}
}

// wire is one of the forms in which objects arrive.
type wire interface {
	object(apiVersion, kind string, l layout) *Object
}

func decodeInto(dec *jsontext.Decoder, w wire, apiVersion, kind string, l layout) (*Object, error) {
	if err := json.UnmarshalDecode(dec, w); err != nil {
		return nil, err
	}
	return w.object(apiVersion, kind, l), nil
}

// decodeOther reads only the name of an object that no rule judges.
func decodeOther(dec *jsontext.Decoder, apiVersion, kind string) (*Object, error) {
	var o struct {
		Metadata struct {
			Name         string `json:"name"`
			GenerateName string `json:"generateName"`
			Namespace    string `json:"namespace"`
		} `json:"metadata"`
	}
	if err := json.UnmarshalDecode(dec, &o); err != nil {
		return nil, err
	}
	m := metadata{Name: o.Metadata.Name, GenerateName: o.Metadata.GenerateName, Namespace: o.Metadata.Namespace}
	return &Object{Ref: m.ref(apiVersion, kind)}, nil
}
