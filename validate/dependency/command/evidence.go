package command

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

// evidence makes what is written in a manifest fit for a message: one line of
// valid UTF-8 without control characters, at most maxEvidence bytes long.
func evidence(s string) string {
	s = strings.TrimSpace(s)
	if isPrintable(s) {
		return s
	}
	var b strings.Builder
	cut, space := 0, false
	for _, c := range s {
		switch {
		case unicode.IsSpace(c):
			space = true
			continue
		case !unicode.IsPrint(c):
			c = utf8.RuneError
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(c)
		if b.Len() <= maxEvidence-len(ellipsis) {
			cut = b.Len()
		}
		if b.Len() > maxEvidence {
			return b.String()[:cut] + ellipsis
		}
	}
	return b.String()
}

// isPrintable tells whether a text needs no change. It is the usual case and
// must not allocate.
func isPrintable(s string) bool {
	if len(s) > maxEvidence {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == ' ' && s[i-1] == ' ' {
			return false
		}
	}
	return true
}

// quoted puts a name of the manifest into a sentence.
func quoted(s string) string { return `"` + evidence(s) + `"` }

// written joins the items of a command as the manifest writes them. Passwords
// are left out: evidence ends up in logs and in other people's terminals. Of a
// long command the middle is left out, as targets stand at either end.
func written(words []word, isSecret func(i int) bool) string {
	var room [16]string
	items := room[:0]
	total := 0
	for i, w := range words {
		raw := w.raw
		if i > 0 && raw == words[i-1].raw && w.val != words[i-1].val {
			continue // further fields of one expansion
		}
		if isSecret != nil && isSecret(i) {
			raw = hideValue(raw)
		}
		raw = secret.Hide(raw)
		items = append(items, raw)
		total += len(raw) + 1
	}
	if total <= maxEvidence+1 || len(items) < 3 {
		return evidence(join(items))
	}
	return evidence(bothEnds(items))
}

func join(items []string) string {
	n := 0
	for _, s := range items {
		n += len(s) + 1
	}
	var b strings.Builder
	b.Grow(min(n, 4*maxEvidence))
	for i, s := range items {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s)
		if b.Len() > 3*maxEvidence {
			break
		}
	}
	return b.String()
}

// bothEnds keeps the first and the last items of a command.
func bothEnds(items []string) string {
	const head = maxEvidence / 3
	first, n := 1, len(items[0])
	for first < len(items) && n+1+len(items[first]) <= head {
		n += 1 + len(items[first])
		first++
	}
	n += 1 + len(ellipsis)
	last := len(items)
	for last > first && n+1+len(items[last-1]) <= maxEvidence {
		n += 1 + len(items[last-1])
		last--
	}
	if last == len(items) {
		return join(items) // one item is too long for any end
	}
	return join(items[:first]) + " " + ellipsis + " " + join(items[last:])
}

// hideValue hides the value of a flag: "--password=***", "-p***", "***".
func hideValue(raw string) string {
	if strings.IndexByte(raw, '$') >= 0 {
		return raw // a variable tells no secret
	}
	switch name, _, ok := strings.Cut(raw, "="); {
	case ok && strings.HasPrefix(raw, "-"):
		return name + "=" + secret.Hidden
	case strings.HasPrefix(raw, "-") && !strings.HasPrefix(raw, "--") && len(raw) > 2:
		return raw[:2] + secret.Hidden
	default:
		return secret.Hidden
	}
}
