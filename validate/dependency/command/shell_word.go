package command

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// set gives a variable a value.
func (r *run) set(name, value string) {
	if r.vars == nil {
		r.vars = map[string]string{}
	}
	r.vars[name] = bounded(value)
}

// saveVariables returns a function that undoes what is set from here on.
func (r *run) saveVariables() func() {
	if len(r.vars) == 0 {
		return func() { r.vars = nil }
	}
	saved := make(map[string]string, len(r.vars))
	for name, value := range r.vars {
		saved[name] = value
	}
	return func() { r.vars = saved }
}

// words walks a node that is no command for the commands that its words run.
func (r *run) words(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok {
			r.value(w)
			return false
		}
		return true
	})
}

// value expands a word without splitting it.
func (r *run) value(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	for _, part := range w.Parts {
		r.part(&b, part)
		if b.Len() > maxValue {
			break
		}
	}
	return bounded(b.String())
}

// fields expands a word as a shell does for the items of a command: what an
// unquoted variable holds is cut at blanks.
func (r *run) fields(w *syntax.Word) []word {
	raw := r.slice(w)
	if lit := w.Lit(); lit != "" && strings.IndexByte(lit, '\\') < 0 {
		return []word{{val: lit, raw: raw}}
	}
	var list []word
	var b strings.Builder
	open := false // a field has begun
	for _, part := range w.Parts {
		if all, ok := r.allParameters(part); ok {
			for i, a := range all {
				if i > 0 {
					list = append(list, word{val: b.String(), raw: raw})
					b.Reset()
				}
				b.WriteString(a)
				open = true
			}
			continue
		}
		switch part.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst:
		default:
			r.part(&b, part)
			open = true
			continue
		}
		var inner strings.Builder
		r.part(&inner, part)
		text := inner.String()
		for i, f := range strings.Fields(text) {
			if i > 0 || open && isBlank(text[0]) {
				list = append(list, word{val: b.String(), raw: raw})
				b.Reset()
			}
			b.WriteString(f)
			open = true
		}
		if len(list) > maxWords || b.Len() > maxValue {
			break
		}
	}
	if open {
		list = append(list, word{val: bounded(b.String()), raw: raw})
	}
	return list
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// allParameters returns the positional parameters for $@, "$@" and $*.
func (r *run) allParameters(part syntax.WordPart) ([]string, bool) {
	if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	p, ok := part.(*syntax.ParamExp)
	if !ok || p.Param == nil || p.Exp != nil || p.Length || p.Slice != nil {
		return nil, false
	}
	if p.Param.Value == "@" || p.Param.Value == "*" {
		return r.parameters(), true
	}
	if p.Index != nil {
		if value, ok := r.vars[p.Param.Value]; ok {
			return strings.Fields(value), true // "${HOSTS[@]}"
		}
	}
	return nil, false
}

// parameters are the positional ones, from $1 on.
func (r *run) parameters() []string { return r.args[min(1, len(r.args)):] }

// part expands one part of a word.
func (r *run) part(b *strings.Builder, part syntax.WordPart) {
	switch part := part.(type) {
	case *syntax.Lit:
		b.WriteString(unescapeLiteral(part.Value))
	case *syntax.SglQuoted:
		b.WriteString(part.Value)
	case *syntax.DblQuoted:
		for _, inner := range part.Parts {
			if lit, ok := inner.(*syntax.Lit); ok {
				b.WriteString(unescapeQuoted(lit.Value))
				continue
			}
			r.part(b, inner)
		}
	case *syntax.ParamExp:
		b.WriteString(r.parameter(part))
	case *syntax.CmdSubst:
		b.WriteString(r.substitution(part))
	case *syntax.ArithmExp:
		r.words(part)
		b.WriteString(r.opaque(r.slice(part)))
	case *syntax.ProcSubst:
		r.statements(part.Stmts, flow{reads: true})
		b.WriteString("/dev/fd/63")
	case *syntax.ExtGlob:
		b.WriteString(r.slice(part))
	}
}

// unescapeLiteral removes the backslashes outside of quotes.
func unescapeLiteral(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescapeQuoted removes the backslashes that mean something between double quotes.
func unescapeQuoted(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// substitution judges $(...) and returns what it writes.
func (r *run) substitution(c *syntax.CmdSubst) string {
	if out := fileContent(c); out != "" {
		return r.opaque(r.slice(c)) // $(< file)
	}
	out := strings.TrimRight(r.statements(c.Stmts, flow{reads: true}), "\n")
	if out == "" {
		return r.opaque(r.slice(c))
	}
	if s, ok := r.onlySymbol(out); ok && s.kind != symVar {
		s.text = r.slice(c)
		return r.newSymbol(s)
	}
	return out
}

// fileContent recognises $(< file).
func fileContent(c *syntax.CmdSubst) string {
	if len(c.Stmts) == 1 && c.Stmts[0].Cmd == nil && len(c.Stmts[0].Redirs) > 0 {
		return "<"
	}
	return ""
}

// parameter expands $name and ${name...}.
func (r *run) parameter(p *syntax.ParamExp) string {
	if p.Param == nil {
		return r.opaque(r.slice(p))
	}
	name := p.Param.Value
	value, isSet := r.positional(name)
	if !isSet {
		value, isSet = r.variable(name)
	}
	switch {
	case p.Length || p.Width:
		return r.opaque(r.slice(p))
	case p.Excl:
		if ref, ok := r.variable(value); ok && isVariableName(value) {
			return ref
		}
		return r.opaque(r.slice(p))
	case p.Exp != nil:
		return r.expansion(p, value, isSet)
	case !isSet:
		return r.absent(name)
	case p.Repl != nil && p.Repl.Orig != nil && p.Repl.With != nil && !hasSymbol(value):
		return r.replaced(p.Repl, value)
	case p.Slice != nil || p.Repl != nil:
		if _, ok := r.onlySymbol(value); ok {
			return value
		}
		return r.opaque(r.slice(p))
	}
	return value
}

// absent is the value of a parameter that nothing visible sets.
func (r *run) absent(name string) string {
	if !isVariableName(name) {
		return r.opaque("$" + name)
	}
	return r.unset(name)
}

// positional returns $0, $1, ... and the special parameters.
func (r *run) positional(name string) (string, bool) {
	if i, err := strconv.Atoi(name); err == nil && i >= 0 {
		if i < len(r.args) {
			return r.args[i], true
		}
		return "", false
	}
	switch name {
	case "@", "*":
		return bounded(strings.Join(r.parameters(), " ")), true
	case "#", "?", "$", "!", "-", "_", "RANDOM", "SECONDS", "UID", "EUID", "PPID", "LINENO", "PWD", "HOME":
		return r.opaque("$" + name), true
	}
	return "", false
}

// expansion expands ${name:-default} and its relatives.
func (r *run) expansion(p *syntax.ParamExp, value string, isSet bool) string {
	name, x := p.Param.Value, p.Exp
	switch x.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		orNull := x.Op == syntax.DefaultUnsetOrNull || x.Op == syntax.AssignUnsetOrNull
		if isSet && (value != "" || !orNull) {
			return value
		}
		other := r.value(x.Word)
		if !isSet && r.mayHoldMore() && isVariableName(name) && r.nameEvidence(name) != namesNothing {
			// The ConfigMap may well set what the script has a default for.
			other = r.maybe(name, other)
		}
		if x.Op == syntax.AssignUnset || x.Op == syntax.AssignUnsetOrNull {
			r.set(name, other)
		}
		return other
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if isSet && value != "" || !isSet && r.mayHoldMore() {
			return r.value(x.Word)
		}
		return ""
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		if !isSet {
			return r.unset(name)
		}
		return value
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix:
		if !isSet {
			return r.unset(name)
		}
		return r.trimmed(x, value)
	case syntax.LowerAll, syntax.LowerFirst:
		return strings.ToLower(value)
	case syntax.UpperAll, syntax.UpperFirst:
		return strings.ToUpper(value)
	}
	return r.opaque(r.slice(p))
}

// maybe is the value of a variable with a default that a ConfigMap may override.
// A default that is another host is as good as certain.
func (r *run) maybe(name, other string) string {
	for _, t := range addresses(other) {
		if r.locate(t.host, subject{}).reach > reachLocal {
			return other
		}
	}
	return r.newSymbol(symbol{kind: symVar, origin: fromNowhere, name: name, text: "${" + name + ":-" + r.render(other) + "}"})
}
