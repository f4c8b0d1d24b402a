package command

import "strings"

// literal reads what only Ruby, Perl and PHP write strings with: %q(db), %w[a b],
// q{db}, qw(a b), <<~EOS. Ruby's and Perl's do what their quotes do, in brackets
// of one's choice (docs.ruby-lang.org, "Percent Literals"; perlop, "Quote-Like
// Operators").
func (x *lexer) literal() bool {
	rest := x.code[x.pos:]
	switch {
	case strings.HasPrefix(rest, "<<"):
		return x.heredoc()
	case x.lang == ruby && rest[0] == '%' && !x.behindOperand():
		form, size := byte('Q'), 1
		if len(rest) > 1 && strings.IndexByte("qQwWiIxr", rest[1]) >= 0 {
			form, size = rest[1], 2
		}
		return x.bracketed(form, size)
	case x.lang == perl && rest[0] == 'q' && (x.pos == 0 || !isWordByte(x.code[x.pos-1]) && x.code[x.pos-1] != '$'):
		form, size := byte('q'), 1
		if len(rest) > 1 && strings.IndexByte("qwxr", rest[1]) >= 0 {
			form, size = [...]byte{'Q', 'w', 'x', 'r'}[strings.IndexByte("qwxr", rest[1])], 2
		}
		return x.bracketed(form, size)
	}
	return false
}

// behindOperand tells whether a % is an operator: behind a number, a string or a
// bracket; behind a name unless only its left side has a blank, as in
// "get %q(x)".
func (x *lexer) behindOperand() bool {
	if len(x.list) == 0 {
		return false
	}
	last := x.list[len(x.list)-1]
	switch last.kind {
	case tokNumber, tokString:
		return true
	case tokMark:
		return strings.Contains(")]}", last.text)
	default:
		blank := x.pos+1 < len(x.code) && strings.IndexByte(" \t\n=", x.code[x.pos+1]) >= 0
		return last.end == x.pos || blank
	}
}

// bracketed reads a literal of which size bytes stand before its bracket.
func (x *lexer) bracketed(form byte, size int) bool {
	start := x.pos
	if start+size >= len(x.code) {
		return false
	}
	open := x.code[start+size]
	if isWordByte(open) || open >= 0x80 || strings.ContainsRune(" \t\r\n=,;)", rune(open)) {
		return false
	}
	closing := open
	if i := strings.IndexByte("([{<", open); i >= 0 {
		closing = ")]}>"[i]
	}
	var b strings.Builder
	depth, at := 1, start+size+1
	for ; at < len(x.code); at++ {
		c := x.code[at]
		switch {
		case c == '\\' && at+1 < len(x.code):
			at++
			c = x.code[at]
		case c == closing:
			depth--
		case c == open:
			depth++
		}
		if depth == 0 {
			break
		}
		b.WriteByte(c)
	}
	x.pos = min(at+1, len(x.code))
	switch form {
	case 'w', 'W', 'i', 'I':
		x.wordList(b.String(), start)
	case 'r': // a pattern
		x.add(tokString, "", true, start)
	default:
		x.add(tokString, b.String(), form == 'q', start)
		x.list[len(x.list)-1].shell = form == 'x'
	}
	return true
}

// wordList writes %w[a b] as what it stands for.
func (x *lexer) wordList(text string, start int) {
	add := func(kind tokenKind, text string) {
		x.list = append(x.list, token{kind: kind, text: text, raw: true, at: start, end: start})
	}
	add(tokMark, "[")
	for i, w := range strings.Fields(text) {
		if i > 0 {
			add(tokMark, ",")
		}
		add(tokString, w)
	}
	x.list = append(x.list, token{kind: tokMark, text: "]", at: start, end: x.pos})
}

// heredoc reads <<~EOS and its relatives. Its lines begin on the next one.
func (x *lexer) heredoc() bool {
	head := x.code[x.pos+2:]
	switch x.lang {
	case php:
		if !strings.HasPrefix(head, "<") {
			return false
		}
		head = strings.TrimLeft(head[1:], " ")
	case ruby, perl:
		if head != "" && (head[0] == '~' || head[0] == '-') {
			head = head[1:]
		}
	default:
		return false
	}
	quote := ""
	if head != "" && (head[0] == '"' || head[0] == '\'') {
		quote, head = head[:1], head[1:]
	}
	n := 0
	for n < len(head) && isWordByte(head[n]) {
		n++
	}
	if n == 0 || head[0] >= '0' && head[0] <= '9' || !strings.HasPrefix(head[n:], quote) {
		return false
	}
	start, name := x.pos, head[:n]
	x.pos = len(x.code) - len(head) + n + len(quote)
	x.add(tokString, x.docLines(name), quote == "'", start)
	return true
}

// docLines returns the lines of a heredoc, and has the lexer pass over them.
func (x *lexer) docLines(name string) string {
	from := x.docsEnd
	if x.docs == 0 {
		end := strings.IndexByte(x.code[x.pos:], '\n')
		if end < 0 {
			return ""
		}
		x.docs = x.pos + end + 1
		from = x.docs
	}
	var b strings.Builder
	x.docsEnd = len(x.code)
	for at := from; at < len(x.code); {
		line, _, _ := strings.Cut(x.code[at:], "\n")
		next := min(at+len(line)+1, len(x.code))
		if strings.TrimRight(strings.TrimSpace(line), ";") == name {
			x.docsEnd = next
			break
		}
		b.WriteString(line + "\n")
		at = next
	}
	return b.String()
}
