package webhook

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/probity-dev/probity/escape"
	"github.com/probity-dev/probity/mutate"
	"github.com/probity-dev/probity/validate"
)

// response is an admission.k8s.io/v1 AdmissionResponse.
type response struct {
	UID       string      `json:"uid"`
	Allowed   bool        `json:"allowed"`
	Status    *status     `json:"status,omitzero"`
	PatchType string      `json:"patchType,omitzero"`
	Patch     []byte      `json:"patch,omitzero"` // base64, as the API has it
	Audit     annotations `json:"auditAnnotations,omitzero"`
	Warnings  []string    `json:"warnings,omitzero"`
}

// annotations are audit annotations; the API server prefixes their keys with the
// webhook's name.
type annotations map[string]string

type status struct {
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

const (
	allowedPrefix = `{"kind":"AdmissionReview","apiVersion":"` + reviewVersion + `","response":{"uid":`
	allowedSuffix = `,"allowed":true}}`
)

// allowed writes the answer that nearly every review gets, without reflection.
func allowed(buf []byte, uid string) []byte {
	buf = append(buf, allowedPrefix...)
	buf, _ = jsontext.AppendQuote(buf, uid) // fails on broken UTF-8 only, which it replaces
	return append(buf, allowedSuffix...)
}

// escaped returns the texts so that each is one line, whoever wrote what is in it.
func escaped(texts []string) []string {
	lines := make([]string, len(texts))
	for i, text := range texts {
		lines[i] = escape.Text(text)
	}
	return lines
}

func (r *response) append(buf []byte) ([]byte, error) {
	if r.Allowed && r.Patch == nil && r.Audit == nil && r.Warnings == nil {
		return allowed(buf, r.UID), nil
	}
	if len(r.Warnings) > 0 {
		r.Warnings = escaped(r.Warnings)
	}
	if r.Status != nil {
		r.Status.Message = escape.Lines(r.Status.Message) // of lines that are escaped
	}
	out, err := json.Marshal(struct {
		Kind       string    `json:"kind"`
		APIVersion string    `json:"apiVersion"`
		Response   *response `json:"response"`
	}{"AdmissionReview", reviewVersion, r}, jsontext.AllowInvalidUTF8(true))
	return append(buf, out...), err
}

// maxAudit bounds the audit annotation; the API server's audit log keeps it with
// every event.
const maxAudit = 8 << 10

// auditEntry is one finding in the audit annotation "findings".
type auditEntry struct {
	Rule    string          `json:"rule"`
	Action  validate.Action `json:"action"`
	Path    string          `json:"path"`
	Message string          `json:"message"`
	// Exempted is the reason of an exempted finding.
	Exempted string `json:"exempted,omitzero"`
}

// auditAnnotation lists findings as JSON, as many as fit.
func auditAnnotation(all []validate.Finding) (annotations, error) {
	list := []byte{'['}
	for i := range all {
		f := auditEntry{Rule: all[i].Rule, Action: all[i].Action, Path: escape.Text(all[i].Path), Message: escape.Text(all[i].Message)}
		if e := all[i].Exemption; e != nil {
			f.Exempted = escape.Text(e.String())
		}
		entry, err := json.Marshal(f, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return nil, err
		}
		if len(list)+len(entry) > maxAudit {
			break
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, entry...)
	}
	return annotations{"findings": string(append(list, ']'))}, nil
}

func patch(ops []mutate.Operation) ([]byte, error) { return json.Marshal(ops) }
