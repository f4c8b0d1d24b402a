package command

import "strings"

// withBrackets writes the brackets of calls that Ruby and Perl do without:
// TCPSocket.new 'db', 5432 becomes TCPSocket.new('db', 5432).
func withBrackets(tokens []token, code string) []token {
	list := make([]token, 0, len(tokens))
	var open []int // the depths at which a call without brackets is open
	depth := 0
	closeCalls := func(at, to int) {
		for len(open) > 0 && open[len(open)-1] >= to {
			open = open[:len(open)-1]
			list = append(list, token{kind: tokMark, text: ")", at: at, end: at})
		}
	}
	for i, t := range tokens {
		if i > 0 && endsCall(t, code[min(tokens[i-1].end, t.at):t.at], tokens[i-1]) {
			closeCalls(t.at, depth)
		}
		if t.kind == tokMark {
			switch t.text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				closeCalls(t.at, depth)
				depth--
			}
		}
		list = append(list, t)
		if i+1 < len(tokens) && callsBare(t, tokens[i+1]) && len(open) < maxParts {
			open = append(open, depth)
			list = append(list, token{kind: tokMark, text: "(", at: t.end, end: t.end})
		}
	}
	closeCalls(len(code), -1<<30)
	return list
}

// endsCall tells whether a token ends the arguments of a call without brackets:
// it stands on a line of its own, or is a word such as "if".
func endsCall(t token, between string, before token) bool {
	switch {
	case t.kind == tokMark && (t.text == ";" || t.text == "{"):
		return t.text == ";" || before.kind != tokMark
	case t.kind == tokName && isStatementWord(t.text) && t.text != "not":
		return true
	}
	continues := before.kind == tokMark && before.text != ")" && before.text != "]" && before.text != "}"
	return strings.Contains(between, "\n") && !continues
}

// callsBare tells whether a name is called with what follows it.
func callsBare(t, next token) bool {
	if t.kind != tokName || isStatementWord(t.text) || next.at <= t.end || t.text[0] == '$' || t.text[0] == '@' {
		return false
	}
	switch next.kind {
	case tokString, tokNumber:
		return true
	case tokName:
		return !isStatementWord(next.text)
	default:
		return next.text == "[" || next.text == "::" || next.text == ":"
	}
}

// isStatementWord tells whether a name is a word of the language.
func isStatementWord(name string) bool {
	switch name {
	case "if", "unless", "while", "until", "and", "or", "not", "do", "then", "else", "elsif", "case", "when", "in", "begin",
		"rescue", "ensure", "end", "def", "class", "module", "return", "yield", "next", "break", "self", "nil", "true", "false",
		"my", "our", "local", "foreach", "for", "die", "sub", "eq", "ne", "x", "lt", "gt", "use", "no":
		return true
	}
	return false
}
