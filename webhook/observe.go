package webhook

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Observer is told of what was found. It must not wait: the request does.
type Observer interface{ Judged(Judgement) }

// Judgement is what was found in one object, in a mode that tells users of it.
type Judgement struct {
	Object workload.Ref
	// UID is empty where the object has none yet. An object that was refused at its
	// creation has one, and never exists.
	UID  string
	Mode validate.Mode
	// Findings have the actions after everything that makes them milder. They are
	// shared: only read them.
	Findings []validate.Finding
}

// observed tells the observer, unless nothing happened (a dry run), nobody is to
// know (audit), or there is a better place: the object that controls this one.
func (h *Handler) observed(req *request, found []validate.Finding, mode validate.Mode) {
	if h.Observer == nil || len(found) == 0 || req.DryRun || mode < validate.ModeWarn || controllerOf(req.object) != nil {
		return
	}
	ref := req.object.Ref
	ref.Namespace = req.Namespace
	h.Observer.Judged(Judgement{Object: ref, UID: uidOf(req.rawObject), Mode: mode, Findings: found})
}

// uidOf reads metadata.uid of an object, which stands near its beginning as the
// API server writes it; empty when there is none.
func uidOf(object []byte) string {
	dec := jsontext.NewDecoder(bytes.NewReader(object), workload.DecoderOptions())
	for _, name := range [...]string{"metadata", "uid"} {
		if !enter(dec, name) {
			return ""
		}
	}
	value, err := dec.ReadToken()
	if err != nil || value.Kind() != '"' {
		return ""
	}
	return value.String()
}

// enter reads into an object, up to the value of a member.
func enter(dec *jsontext.Decoder, member string) bool {
	if dec.PeekKind() != '{' {
		return false
	}
	if _, err := dec.ReadToken(); err != nil {
		return false
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return false
		}
		if name.String() == member {
			return true
		}
		if err := dec.SkipValue(); err != nil {
			return false
		}
	}
	return false
}
