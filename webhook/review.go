package webhook

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/probity-dev/probity/escape"
	"github.com/probity-dev/probity/workload"
)

// reviewVersion is the only version of AdmissionReview that is spoken.
const reviewVersion = "admission.k8s.io/v1"

// review is an admission.k8s.io/v1 AdmissionReview as it comes in.
type review struct {
	APIVersion string  `json:"apiVersion"`
	Kind       string  `json:"kind"`
	Request    request `json:"request"`
}

// request holds what Probity reads of an AdmissionRequest. The object is decoded
// in the same pass where its kind stands before it, as the API server writes it.
type request struct {
	UID         string
	Kind        groupVersionKind
	SubResource string
	Name        string
	Namespace   string
	Operation   string
	User        userInfo
	DryRun      bool

	// object is nil for null.
	object *workload.Object
	// rawObject and rawOld are the bytes of the objects, empty for null. They
	// are parts of the body and live as long as it does.
	rawObject, rawOld jsontext.Value

	// ruling is what this review is judged by.
	ruling  *ruling
	body    []byte
	onePass bool
}

type groupVersionKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

func (g groupVersionKind) apiVersion() string {
	if g.Group == "" {
		return g.Version
	}
	return g.Group + "/" + g.Version
}

type userInfo struct {
	Username string   `json:"username"`
	UID      string   `json:"uid"`
	Groups   []string `json:"groups"`
	// Extra is read only where a permission is asked for.
	Extra jsontext.Value `json:"extra"`
}

func (u *userInfo) whole() (User, error) {
	user := User{Name: u.Username, UID: u.UID, Groups: u.Groups}
	if len(u.Extra) == 0 {
		return user, nil
	}
	if err := json.Unmarshal(u.Extra, &user.Extra, workload.DecoderOptions()); err != nil {
		return user, fmt.Errorf("request.userInfo.extra: %w", err)
	}
	return user, nil
}

// decodeReview reads a review. The error says what is wrong and names the uid as
// far as it was read.
func decodeReview(body []byte, by *ruling) (*request, error) { return decode(body, by, true) }

// decode reads a review. In one pass it decodes the object where it stands;
// otherwise from its bytes, around fields of the wrong type.
func decode(body []byte, by *ruling, onePass bool) (*request, error) {
	blank := review{Request: request{ruling: by, body: body, onePass: onePass}}
	r := blank
	if !scanReview(body, &r) {
		r = blank
		if err := json.Unmarshal(body, &r, workload.DecoderOptions()); err != nil {
			var mistyped *json.SemanticError
			if onePass && errors.As(err, &mistyped) {
				return decode(body, by, false) // reads around the field, and names it
			}
			return nil, withUID(r.Request.UID, fmt.Errorf("malformed AdmissionReview: %w", err))
		}
	}
	switch {
	case r.Kind != "AdmissionReview":
		return nil, withUID(r.Request.UID, fmt.Errorf("kind is %q, must be AdmissionReview", brief(r.Kind)))
	case r.APIVersion != reviewVersion:
		return nil, withUID(r.Request.UID, fmt.Errorf("apiVersion is %q, must be %s", brief(r.APIVersion), reviewVersion))
	case r.Request.UID == "":
		return nil, errors.New("malformed AdmissionReview: request.uid is missing")
	}
	return &r.Request, r.Request.decodeObject()
}

func withUID(uid string, err error) error {
	if uid == "" {
		return err
	}
	return fmt.Errorf("uid %s: %w", brief(uid), err)
}

// brief is the begin of what a review says where it should say something short. An error
// is copied some times, and the body may be one such text.
func brief(text string) string { return escape.Begin(text, 100) }

// UnmarshalJSONFrom reads the request member by member, so that the object can
// be decoded where it stands.
func (r *request) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != '{' {
		return errors.New("request must be an object")
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		tok, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if err := r.member(dec, tok.String()); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func (r *request) member(dec *jsontext.Decoder, name string) (err error) {
	switch name {
	case "uid":
		return json.UnmarshalDecode(dec, &r.UID)
	case "kind":
		return json.UnmarshalDecode(dec, &r.Kind)
	case "subResource":
		return json.UnmarshalDecode(dec, &r.SubResource)
	case "name":
		return json.UnmarshalDecode(dec, &r.Name)
	case "namespace":
		return json.UnmarshalDecode(dec, &r.Namespace)
	case "operation":
		return json.UnmarshalDecode(dec, &r.Operation)
	case "userInfo":
		return json.UnmarshalDecode(dec, &r.User)
	case "dryRun":
		return json.UnmarshalDecode(dec, &r.DryRun)
	case "object":
		if r.onePass && r.Kind.Kind != "" && dec.PeekKind() != 'n' {
			start := dec.InputOffset()
			r.object, err = r.ruling.Kinds.DecodeFrom(dec, r.Kind.apiVersion(), r.Kind.Kind)
			r.rawObject = bytes.TrimLeft(r.body[start:dec.InputOffset()], ": \t\r\n")
			return err
		}
		r.rawObject, err = r.raw(dec)
		return err
	case "oldObject":
		r.rawOld, err = r.raw(dec)
		return err
	default:
		return dec.SkipValue()
	}
}

// raw skips a value and returns its bytes within the body, or nothing for null.
func (r *request) raw(dec *jsontext.Decoder) (jsontext.Value, error) {
	value, err := dec.ReadValue()
	if err != nil || value.Kind() == 'n' {
		return nil, err
	}
	// The decoder's own slice is only lent; the body's bytes stay.
	end := dec.InputOffset()
	return r.body[end-int64(len(value)) : end], nil
}

// decodeObject reads the object around fields of the wrong type, unless the
// first pass has read it.
func (r *request) decodeObject() error {
	if r.object != nil || len(r.rawObject) == 0 {
		return nil
	}
	obj, err := r.ruling.Kinds.DecodeAs(r.rawObject, r.Kind.apiVersion(), r.Kind.Kind)
	if err != nil {
		return withUID(r.UID, fmt.Errorf("request.object: %w", err))
	}
	r.object = obj
	return nil
}

// decodeOld reads the old object; nil when there is none or it cannot be read:
// then every finding counts as new.
func (r *request) decodeOld() *workload.Object {
	if len(r.rawOld) == 0 {
		return nil
	}
	old, err := r.ruling.Kinds.DecodeAs(r.rawOld, r.Kind.apiVersion(), r.Kind.Kind)
	if err != nil {
		return nil
	}
	return old
}
