package command

import "strings"

// maxParts bounds the parts of one expression.
const maxParts = 16

// expression returns the value of a simple expression: a string, a variable of
// the environment, a name of the code, or several of these joined. The second
// result is the token behind it.
func (c *reader) expression(i int) (string, int, bool) {
	value, i, ok := c.operand(i)
	for n := 0; ok && n < maxParts; n++ {
		switch {
		case c.is(i, "||") || c.is(i, "??") || c.is(i, "or"):
			other, next, ok := c.operand(i + 1)
			if !ok {
				return value, i, true
			}
			value, i = c.withDefault(value, other), next
		case c.is(i, "+") || c.is(i, ".") && (c.lang == php || c.lang == perl):
			other, next, known := c.operand(i + 1)
			if !known {
				other, next = c.opaque("..."), i+2
			}
			value, i = bounded(value+other), next
		case c.is(i, "%") && (c.lang == python || c.lang == ruby):
			value, i = c.formatted(value, i+1)
		case c.is(i, ".") && c.is(i+1, "format") && c.is(i+2, "("):
			value, i = c.formatted(value, i+2)
		case c.at(i).kind == tokString && c.at(i-1).kind == tokString:
			value, i = bounded(value+c.interpolate(c.at(i))), i+1
		default:
			return value, i, true
		}
	}
	return value, i, ok
}

// formatted fills a string with what follows it: "http://%s/x" % host,
// "http://{}/x".format(host).
func (c *reader) formatted(value string, i int) (string, int) {
	inBrackets := c.is(i, "(") || c.is(i, "[")
	if inBrackets {
		i++
	}
	for n := 0; n < maxParts; n++ {
		item, next, ok := c.operand(i)
		if !ok {
			item, next = c.opaque("..."), c.nextItem(i)
		}
		value, i = fillIn(value, item), next
		if !inBrackets || !c.is(i, ",") {
			break
		}
		i++
	}
	if inBrackets {
		i++
	}
	return bounded(value), i
}

// fillIn puts an item into the first place of a format.
func fillIn(format, item string) string {
	for _, place := range [...]string{"%s", "%d", "{}", "{0}", "%r"} {
		if before, after, ok := strings.Cut(format, place); ok {
			return before + item + after
		}
	}
	return format
}

// withDefault returns the value of a variable that has a default in the code.
func (c *reader) withDefault(value, other string) string {
	s, ok := c.onlySymbol(value)
	switch {
	case value == "":
		return other
	case !ok || s.kind != symVar:
		return value
	case s.origin == fromNowhere:
		return other
	case s.origin == fromBulk:
		return c.maybe(s.name, other)
	default:
		return value
	}
}

// operand returns the value of one operand.
func (c *reader) operand(i int) (string, int, bool) {
	t := c.at(i)
	switch {
	case t.kind == tokString:
		return c.interpolate(t), i + 1, true
	case c.is(i, "("):
		c.brackets++
		defer func() { c.brackets-- }()
		if c.brackets > maxParts {
			return "", i, false
		}
		value, next, ok := c.expression(i + 1)
		if c.is(next, ")") {
			next++
		}
		return value, next, ok
	case c.is(i, "[") || c.is(i, "{"):
		if c.at(i+1).kind == tokMark {
			return "", i, false
		}
		return c.operand(i + 1)
	case t.kind != tokName:
		return "", i, false
	}
	if value, next, ok := c.environment(i); ok {
		return value, next, true
	}
	if value, next, ok := c.ownName(i); ok {
		return value, next, true
	}
	if value, ok := c.values[t.text]; ok && !c.is(i+1, "(") && !c.is(i+1, ".") {
		return value, i + 1, true
	}
	return "", i, false
}

// ownName recognises what returns this host's name.
func (c *reader) ownName(i int) (string, int, bool) {
	for j := i; j < i+6; j++ {
		switch c.at(j).text {
		case "gethostname", "getfqdn", "get_hostname", "hostname", "uname", "node":
			if c.is(j+1, "(") && c.is(j+2, ")") {
				return c.selfValue(c.at(j).text + "()"), j + 3, true
			}
		}
		if !c.inChain(j) {
			return "", i, false
		}
	}
	return "", i, false
}

// environment reads os.environ["X"], os.getenv("X", "d"), process.env.X,
// ENV["X"], ENV.fetch("X"), getenv("X"), $_ENV["X"] and $ENV{X}.
func (c *reader) environment(i int) (string, int, bool) {
	for j := i; j < i+12; j++ {
		switch c.at(j).text {
		case "environ", "env", "ENV", "getenv", "$_ENV", "$_SERVER", "$ENV":
			if value, next, ok := c.variableAt(j); ok {
				return value, next, true
			}
		}
		// Only a chain such as __import__('os').environ leads there.
		if !c.inChain(j) {
			return "", i, false
		}
	}
	return "", i, false
}

// inChain tells whether the token behind j goes on with the same operand.
func (c *reader) inChain(j int) bool {
	switch t := c.at(j + 1); t.kind {
	case tokMark:
		return t.text == "." || t.text == "::" || t.text == "?." || t.text == "(" || t.text == ")"
	case tokString:
		return c.is(j, "(")
	case tokName:
		return c.is(j, ".") || c.is(j, "::") || c.is(j, "?.")
	}
	return false
}

// variableAt reads the access that follows the name at j.
func (c *reader) variableAt(j int) (string, int, bool) {
	next := j + 1
	switch {
	case c.is(next, ".") && (c.is(next+1, "get") || c.is(next+1, "fetch")):
		next += 2
	case c.is(next, ".") && c.at(j).text == "env":
		return c.named(c.at(next + 1).text), next + 2, true
	case c.is(next, "{") && c.is(next+2, "}"):
		return c.named(c.at(next + 1).text), next + 3, true
	}
	if !c.is(next, "[") && !c.is(next, "(") && !c.is(next, "{") || c.at(next+1).kind != tokString {
		return "", j, false
	}
	value := c.named(c.at(next + 1).text)
	next += 2
	if c.is(next, ",") {
		if other, after, ok := c.operand(next + 1); ok {
			value, next = c.withDefault(value, other), after
		}
	}
	for range 8 {
		if c.is(next, "]") || c.is(next, ")") || c.is(next, "}") {
			return value, next + 1, true
		}
		next++
	}
	return value, next, true
}

// named returns the value of a variable of the environment.
func (c *reader) named(name string) string {
	if value, ok := c.variable(name); ok {
		return value
	}
	if !isVariableName(name) {
		return c.opaque(name)
	}
	return c.unset(name)
}

// interpolate expands {x}, ${x} and #{x} in a string.
func (c *reader) interpolate(t token) string {
	text := t.text
	if t.raw || !strings.ContainsAny(text, "{$") {
		return text
	}
	var b strings.Builder
	for n := 0; n < maxParts; n++ {
		open := strings.IndexAny(text, "{$")
		if open < 0 {
			break
		}
		name, rest, ok := c.placeholder(text[open:])
		if !ok {
			b.WriteString(text[:open+1])
			text = text[open+1:]
			continue
		}
		b.WriteString(strings.TrimSuffix(text[:open], "#"))
		b.WriteString(c.placeholderValue(name))
		text = rest
	}
	b.WriteString(text)
	return bounded(b.String())
}

// placeholder cuts "{x}", "${x}" and "$x" off a text.
func (c *reader) placeholder(text string) (name, rest string, ok bool) {
	if strings.HasPrefix(text, "${") || strings.HasPrefix(text, "{") {
		name, rest, ok = strings.Cut(text[strings.IndexByte(text, '{')+1:], "}")
		return name, rest, ok && (c.lang != php && c.lang != perl || text[0] == '$' || strings.HasPrefix(name, "$"))
	}
	if c.lang != php && c.lang != perl {
		return "", "", false
	}
	end := 1
	for end < len(text) && isWordByte(text[end]) {
		end++
	}
	return text[:end], text[end:], end > 1
}

// placeholderValue returns what a placeholder holds.
func (c *reader) placeholderValue(name string) string {
	if value, ok := c.values[strings.TrimPrefix(name, "$")]; ok {
		return value
	}
	if value, ok := c.values[name]; ok {
		return value
	}
	if len(name) > 200 {
		return c.opaque("{...}")
	}
	inner := &reader{run: c.run, code: name, lang: c.lang, tokens: lex(name, c.lang), values: c.values}
	if value, _, ok := inner.expression(0); ok {
		return value
	}
	return c.opaque("{" + name + "}")
}
