package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// One probe is often written for several roles of an image, with the role in env. What
// a literal value there rules out is never run, so it is not judged.

// settled tells what a condition is, where literal values decide it.
func (r *run) settled(cond []*syntax.Stmt) truth {
	if len(cond) != 1 || len(cond[0].Redirs) > 0 || cond[0].Background {
		return isEither
	}
	left, op, right := comparison(cond[0].Cmd)
	a, knownA := r.literal(left)
	b, knownB := r.literal(right)
	if !knownA || !knownB || strings.ContainsAny(b, "*?[") {
		return isEither
	}
	equal := a == b
	switch op {
	case "=", "==":
	case "!=":
		equal = !equal
	default:
		return isEither
	}
	if equal != cond[0].Negated {
		return isTrue
	}
	return isFalse
}

// comparison takes [ a = b ], test a = b and [[ a == b ]] apart.
func comparison(cmd syntax.Command) (left *syntax.Word, op string, right *syntax.Word) {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		args := cmd.Args
		if len(cmd.Assigns) > 0 || len(args) < 4 {
			return nil, "", nil
		}
		switch name := args[0].Lit(); {
		case name == "test" && len(args) == 4:
		case name == "[" && len(args) == 5 && args[4].Lit() == "]":
		default:
			return nil, "", nil
		}
		return args[1], args[2].Lit(), args[3]
	case *syntax.TestClause:
		b, ok := cmd.X.(*syntax.BinaryTest)
		if !ok {
			return nil, "", nil
		}
		left, _ = b.X.(*syntax.Word)
		right, _ = b.Y.(*syntax.Word)
		return left, b.Op.String(), right
	}
	return nil, "", nil
}

// literal returns the value of a word that is made of text and of variables which only
// env sets, to a literal value.
func (r *run) literal(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
	return r.literalParts(w.Parts)
}

func (r *run) literalParts(parts []syntax.WordPart) (string, bool) {
	var b strings.Builder
	for _, part := range parts {
		value, ok := "", false
		switch part := part.(type) {
		case *syntax.Lit:
			value, ok = part.Value, !strings.Contains(part.Value, `\`) && !hasSymbol(part.Value)
		case *syntax.SglQuoted:
			value, ok = part.Value, !part.Dollar && !hasSymbol(part.Value)
		case *syntax.DblQuoted:
			value, ok = r.literalParts(part.Parts)
		case *syntax.ParamExp:
			value, ok = r.literalVariable(part)
		}
		if !ok {
			return "", false
		}
		b.WriteString(value)
	}
	return b.String(), true
}

func (r *run) literalVariable(p *syntax.ParamExp) (string, bool) {
	if p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Names != 0 || p.Exp != nil {
		return "", false
	}
	if _, assigned := r.vars[p.Param.Value]; assigned {
		return "", false // which of the assignments holds is not known
	}
	value, ok := r.containerVariable(p.Param.Value, len(r.req.Env), 0)
	return value, ok && !hasSymbol(value)
}

// caseItems returns the items of a case that can be run.
func (r *run) caseItems(c *syntax.CaseClause) []*syntax.CaseItem {
	value, ok := r.literal(c.Word)
	if !ok || len(value) > maxPattern {
		return c.Items
	}
	for i, item := range c.Items {
		for _, p := range item.Patterns {
			pattern, ok := r.literal(p)
			if !ok || item.Op != syntax.Break || strings.Contains(pattern, "[") {
				return c.Items
			}
			if globMatch(pattern, value) {
				return c.Items[i : i+1]
			}
		}
	}
	return nil
}
