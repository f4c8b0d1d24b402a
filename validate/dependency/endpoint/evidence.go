package endpoint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/probity-dev/probity/validate/dependency/secret"
)

// maxEvidence is the longest evidence, in bytes.
const maxEvidence = 120

// ellipsis ends evidence that was cut.
const ellipsis = "..."

// quotedPath is a path, whole URLs included, as a message may quote it.
func quotedPath(path string) string { return evidence(secret.Hide(path)) }

// evidence makes what is written in a manifest fit for a message: valid UTF-8
// without control characters, at most maxEvidence bytes long.
func evidence(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	cut := 0 // where the text still leaves room for the ellipsis
	for _, r := range s {
		if !unicode.IsPrint(r) {
			r = utf8.RuneError
		}
		b.WriteRune(r)
		if b.Len() <= maxEvidence-len(ellipsis) {
			cut = b.Len()
		}
		if b.Len() > maxEvidence {
			return b.String()[:cut] + ellipsis
		}
	}
	return b.String()
}

// isPlain tells whether a text needs no change. It is the usual case and must
// not allocate.
func isPlain(s string) bool {
	if len(s) > maxEvidence {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
