package command

import "strings"

// tokenKind is a kind of token of inline code.
type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokName
	tokNumber
	tokString
	tokMark // an operator or a bracket
)

// token is one token of inline code. The scanner knows as much of Python,
// JavaScript, Ruby, PHP and Perl as they have in common.
type token struct {
	kind tokenKind
	text string // a string without quotes
	// raw is set for strings without interpolation, and shell for those that a
	// shell runs: `pg_isready`, %x(pg_isready).
	raw, shell bool
	// at and end are where it starts in the code, and what is behind it.
	at, end int
}

// maxTokens bounds how much code is read.
const maxTokens = 8 << 10

// lexer cuts code into tokens.
type lexer struct {
	code string
	lang language
	pos  int
	list []token
	// docs is where the heredocs of this line begin, and docsEnd what is behind
	// them; 0 where there are none.
	docs, docsEnd int
}

// lex returns the tokens of a code.
func lex(code string, lang language) []token {
	x := lexer{code: code, lang: lang}
	for x.pos < len(code) && len(x.list) < maxTokens {
		x.next()
	}
	if lang == ruby || lang == perl {
		return withBrackets(x.list, code)
	}
	return x.list
}

func (x *lexer) next() {
	c := x.code[x.pos]
	switch {
	case x.docs > 0 && x.pos >= x.docs:
		x.pos, x.docs, x.docsEnd = max(x.docsEnd, x.pos), 0, 0
	case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		x.pos++
	case x.comment():
	case x.literal():
	case c == '"' || c == '\'' || c == '`':
		x.quoted(false)
	case isWordByte(c) && (c < '0' || c > '9') || c == '$' || c >= 0x80:
		x.name()
	case '0' <= c && c <= '9':
		x.number()
	default:
		x.mark()
	}
}

// comment skips a comment, if there is one.
func (x *lexer) comment() bool {
	rest := x.code[x.pos:]
	hash := x.lang == python || x.lang == ruby || x.lang == perl || x.lang == php
	slashes := x.lang == javascript || x.lang == php || x.lang == otherLanguage
	switch {
	case hash && rest[0] == '#' && (x.pos == 0 || x.code[x.pos-1] != '$'):
		x.skipLine()
	case slashes && strings.HasPrefix(rest, "//"):
		x.skipLine()
	case slashes && strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			x.pos = len(x.code)
		} else {
			x.pos += end + 4
		}
	default:
		return false
	}
	return true
}

func (x *lexer) skipLine() {
	if end := strings.IndexByte(x.code[x.pos:], '\n'); end >= 0 {
		x.pos += end + 1
		return
	}
	x.pos = len(x.code)
}

func (x *lexer) add(kind tokenKind, text string, raw bool, start int) {
	x.list = append(x.list, token{kind: kind, text: text, raw: raw, at: start, end: x.pos})
}

// name reads a name. Python's prefixes of strings are names in front of quotes.
func (x *lexer) name() {
	start := x.pos
	x.pos++
	for x.pos < len(x.code) && (isWordByte(x.code[x.pos]) || x.code[x.pos] >= 0x80 || x.code[x.pos] == '$') {
		x.pos++
	}
	text := x.code[start:x.pos]
	if x.lang == python && x.pos < len(x.code) && len(text) <= 2 && (x.code[x.pos] == '"' || x.code[x.pos] == '\'') {
		switch strings.ToLower(text) {
		case "f", "fr", "rf":
			x.quoted(true)
			return
		case "r", "b", "u", "br", "rb":
			x.quoted(false)
			return
		}
	}
	x.add(tokName, text, false, start)
}

func (x *lexer) number() {
	start := x.pos
	for x.pos < len(x.code) && (isWordByte(x.code[x.pos]) || x.code[x.pos] == '.') {
		x.pos++
	}
	x.add(tokNumber, x.code[start:x.pos], false, start)
}

func (x *lexer) mark() {
	start := x.pos
	for _, two := range [...]string{"::", "->", "=>", "||", "??", "&&", "==", "!=", "?.", ":="} {
		if strings.HasPrefix(x.code[start:], two) {
			x.pos += 2
			x.add(tokMark, two, false, start)
			return
		}
	}
	x.pos++
	x.add(tokMark, x.code[start:x.pos], false, start)
}

// quoted reads a string. Interpolate is set for Python's f"...".
func (x *lexer) quoted(interpolate bool) {
	start, quote := x.pos, x.code[x.pos:x.pos+1]
	if x.lang == python && strings.HasPrefix(x.code[x.pos:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	x.pos += len(quote)
	var b strings.Builder
	for x.pos < len(x.code) && !strings.HasPrefix(x.code[x.pos:], quote) {
		if x.code[x.pos] == '\\' && x.pos+1 < len(x.code) {
			x.pos++
		}
		b.WriteByte(x.code[x.pos])
		x.pos++
	}
	x.pos = min(x.pos+len(quote), len(x.code))
	raw := !interpolate
	switch x.lang {
	case javascript:
		raw = quote != "`"
	case ruby, php, perl:
		raw = quote == "'"
	}
	x.add(tokString, b.String(), raw, start)
	if quote == "`" && (x.lang == ruby || x.lang == perl || x.lang == php) {
		x.list[len(x.list)-1].shell = true
	}
}
