package command

import (
	"strings"
	"unicode/utf8"
)

// A value is a string in which each part that the manifest does not show is one
// rune of a private-use range, an index into the table of symbols. Flags, URLs
// and host lists are then cut as plain strings, and the unknown parts survive.
const (
	firstSymbol = '\uE000'
	maxSymbols  = 0x1000 // up to U+EFFF, whose encodings all start with 0xEE
	symbolLead  = 0xEE
)

// symbolKind says what is known of a part that the manifest does not show.
type symbolKind uint8

const (
	// symData is something that is no host name for sure: a number, $?.
	// Or it is the output of a program, which may be anything.
	symData symbolKind = iota
	// symSelf is a name or an address of this pod: $(hostname), $POD_IP.
	symSelf
	// symVar is a variable whose value is unknown; its name is evidence.
	symVar
	// symEmptied is $(VAR) of a variable with valueFrom: the kubelet puts
	// nothing there.
	symEmptied
	// symUnexpanded is $(VAR) of a variable that env does not list: the
	// kubelet leaves the text as it is.
	symUnexpanded
)

// origin says why a variable's value is unknown.
type origin uint8

const (
	fromNowhere origin = iota // the manifest does not set it; the image may
	fromSource                // a key of a Secret or ConfigMap
	fromBulk                  // a whole Secret or ConfigMap may hold it
	fromLink                  // the kubelet sets it for each Service
)

type symbol struct {
	kind   symbolKind
	origin origin
	name   string // the variable's
	text   string // as it is written: "$DB_HOST", "$(hostname -i)"
	of     string // the known text that a program made it from
}

// newSymbol returns the value that stands for s.
func (r *run) newSymbol(s symbol) string {
	for i, known := range r.symbols {
		if known == s {
			return string(firstSymbol + rune(i))
		}
	}
	if len(r.symbols) >= maxSymbols {
		return string(firstSymbol + rune(maxSymbols-1))
	}
	r.symbols = append(r.symbols, s)
	return string(firstSymbol + rune(len(r.symbols)-1)) //nolint:gosec // at most maxSymbols
}

// opaque returns a value of which nothing is known but how it is written.
func (r *run) opaque(text string) string { return r.newSymbol(symbol{kind: symData, text: text}) }

// selfValue returns a value that means this pod.
func (r *run) selfValue(text string) string { return r.newSymbol(symbol{kind: symSelf, text: text}) }

// symbolOf returns the symbol that a rune stands for.
func (r *run) symbolOf(c rune) (symbol, bool) {
	i := int(c - firstSymbol)
	if i < 0 || i >= len(r.symbols) {
		return symbol{}, false
	}
	return r.symbols[i], true
}

// hasSymbol tells whether a value has parts that the manifest does not show.
func hasSymbol(value string) bool { return strings.IndexByte(value, symbolLead) >= 0 }

// onlySymbol returns the symbol when the value is nothing else.
func (r *run) onlySymbol(value string) (symbol, bool) {
	c, size := utf8.DecodeRuneInString(value)
	if size == 0 || size != len(value) {
		return symbol{}, false
	}
	return r.symbolOf(c)
}

// render writes a value as the manifest writes it.
func (r *run) render(value string) string {
	if !hasSymbol(value) {
		return value
	}
	var b strings.Builder
	for _, c := range value {
		if s, ok := r.symbolOf(c); ok {
			b.WriteString(s.text)
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

// withoutSymbols returns the known parts of a value, with a space in place of
// each unknown one: what words can be looked for in.
func withoutSymbols(value string) string {
	if !hasSymbol(value) {
		return value
	}
	return strings.Map(func(c rune) rune {
		if isSymbol(c) {
			return ' '
		}
		return c
	}, value)
}

// isSymbol tells whether a rune is one of those that stand for symbols.
func isSymbol(c rune) bool { return c/maxSymbols == firstSymbol/maxSymbols }

// plain makes a text of the manifest safe to be a value: runes that would be
// taken for symbols are replaced.
func plain(text string) string {
	if !hasSymbol(text) {
		return text
	}
	return strings.Map(func(c rune) rune {
		if isSymbol(c) {
			return utf8.RuneError
		}
		return c
	}, text)
}
