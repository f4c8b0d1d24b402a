package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// breakTable leaves elements out of a composite literal.
func (s *finder) breakTable(n *ast.CompositeLit) {
	of := s.typeOf(n)
	if of == nil {
		return
	}
	switch of.Underlying().(type) {
	case *types.Slice:
		for i, e := range n.Elts {
			if _, keyed := e.(*ast.KeyValueExpr); !keyed {
				s.leaveOut(n, e, formWithout).index = i
			}
		}
	case *types.Map:
		for _, e := range n.Elts {
			entry := e.(*ast.KeyValueExpr)
			s.leaveOut(n, e, formWithoutKey).entry = s.text(entry.Key)
		}
	default:
		for _, e := range n.Elts {
			s.breakField(e)
		}
	}
}

func (s *finder) leaveOut(table *ast.CompositeLit, element ast.Expr, f form) *breakage {
	b := s.edit(kindElement, table, s.span(element), "")
	b.form = f
	b.elided = table.Type == nil
	if b.elided && b.of == "" {
		s.drop()
	}
	return b
}

// breakField sets a field, or an element of an array, to its zero value.
func (s *finder) breakField(e ast.Expr) {
	value := e
	kind := kindElement
	if pair, ok := e.(*ast.KeyValueExpr); ok {
		value = pair.Value
		if name, ok := pair.Key.(*ast.Ident); ok && s.isField(name) {
			if s.beyond(pair) {
				return
			}
			kind = kindField
		}
	}
	if s.isNothing(value) {
		return
	}
	if c := s.pkg.info.Types[value].Value; c != nil && (c.String() == "true" || s.spell(s.typeOf(value)) == "") {
		return // is made false already, or would lose its type
	}
	if lit, ok := value.(*ast.CompositeLit); ok && lit.Type == nil {
		return // its own elements are left out
	}
	b := s.edit(kind, value, s.span(e), "")
	b.form = formZero
}

// isNothing reports whether an expression is a zero value already.
func (s *finder) isNothing(e ast.Expr) bool {
	if pair, ok := e.(*ast.KeyValueExpr); ok {
		e = pair.Value
	}
	if lit, ok := e.(*ast.CompositeLit); ok {
		_, isStruct := s.pkg.info.TypeOf(lit).Underlying().(*types.Struct)
		return isStruct && !slices.ContainsFunc(lit.Elts, func(e ast.Expr) bool { return !s.isNothing(e) })
	}
	c := s.pkg.info.Types[e].Value
	if c == nil {
		return false
	}
	switch c.Kind() {
	case constant.Bool:
		return !constant.BoolVal(c)
	case constant.String:
		return constant.StringVal(c) == ""
	default:
		return constant.Sign(c) == 0
	}
}

// breakStatement leaves a statement out, where the function still ends.
func (s *finder) breakStatement(n ast.Stmt) {
	list, ok := s.listOf()
	if !ok || s.isOnlyOneOfIf(list) {
		return
	}
	switch n := n.(type) {
	case *ast.ReturnStmt:
		if !s.goesOn(n) {
			return
		}
	case *ast.BranchStmt:
		if n.Tok != token.CONTINUE || !s.goesOn(n) {
			return
		}
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		if !ok || s.in() == "init" {
			return
		}
		if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "panic" {
			return
		}
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			return
		}
	case *ast.IncDecStmt:
	default:
		return
	}
	s.edit(kindStatement, n, s.span(n), "").form = formSkip
}

// listOf is the list of statements that the node is in.
func (s *finder) listOf() ([]ast.Stmt, bool) {
	switch parent := s.parents[len(s.parents)-1].(type) {
	case *ast.BlockStmt:
		return parent.List, true
	case *ast.CaseClause:
		return parent.Body, true
	}
	return nil, false
}

// isOnlyOneOfIf reports whether the statement is all that an if guards: to leave
// it out is what a condition that is never true does.
func (s *finder) isOnlyOneOfIf(list []ast.Stmt) bool {
	if len(list) != 1 {
		return false
	}
	guard, ok := s.parents[len(s.parents)-2].(*ast.IfStmt)
	return ok && guard.Else == nil && guard.Body == s.parents[len(s.parents)-1]
}

// goesOn reports whether anything follows when the statement, a return or a
// continue, is left out. Otherwise the function would not compile, or do the same.
func (s *finder) goesOn(n ast.Stmt) bool {
	var child ast.Node = n
	for i := len(s.parents) - 1; i >= 0; i-- {
		switch parent := s.parents[i].(type) {
		case *ast.BlockStmt:
			if !isSwitch(s.parents[i-1]) && parent.List[len(parent.List)-1] != child {
				return true
			}
		case *ast.CaseClause:
			if parent.Body[len(parent.Body)-1] != child {
				return true
			}
		case *ast.ForStmt, *ast.RangeStmt:
			_, again := n.(*ast.BranchStmt)
			return !again
		case *ast.FuncDecl, *ast.FuncLit:
			return false
		}
		child = s.parents[i]
	}
	return false
}

// isSwitch reports whether a block holds clauses: the next one does not follow.
func isSwitch(n ast.Node) bool {
	switch n.(type) {
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return true
	}
	return false
}

// edit notes a breakage.
func (s *finder) edit(k kind, node ast.Node, at span, with string) *breakage {
	b := &breakage{file: s.file.name, in: s.in(), kind: k, node: s.span(node), edit: at, with: with}
	if e, ok := node.(ast.Expr); ok {
		b.of = s.spell(s.typeOf(e))
	}
	s.found = append(s.found, b)
	return b
}

func (s *finder) drop() { s.found = s.found[:len(s.found)-1] }

// in names the declaration around the node at hand.
func (s *finder) in() string {
	for _, n := range s.parents {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil {
				return n.Name.Name
			}
			receiver := s.text(n.Recv.List[0].Type)
			return strings.TrimPrefix(receiver, "*") + "." + n.Name.Name
		case *ast.ValueSpec:
			return n.Names[0].Name
		}
	}
	return "package"
}

func (s *finder) typeOf(e ast.Expr) types.Type {
	t := s.pkg.info.TypeOf(e)
	if basic, ok := t.(*types.Basic); ok {
		if basic.Kind() == types.UntypedBool {
			return types.Typ[types.Bool]
		}
		if basic.Info()&types.IsUntyped != 0 || basic.Kind() == types.Invalid {
			return nil
		}
	}
	return t
}

// spell writes a type as this file can, or nothing when the file does not import
// its package.
func (s *finder) spell(t types.Type) string {
	if t == nil {
		return ""
	}
	known := true
	text := types.TypeString(t, func(p *types.Package) string {
		if p == s.pkg.types {
			return ""
		}
		name, ok := s.file.imports[p.Path()]
		known = known && ok
		return name
	})
	if !known {
		return ""
	}
	return text
}

func (s *finder) at(p token.Pos) int { return s.pkg.fset.Position(p).Offset }

func (s *finder) span(n ast.Node) span { return span{s.at(n.Pos()), s.at(n.End())} }

func (s *finder) text(n ast.Node) string {
	at := s.span(n)
	return string(s.file.src[at.start:at.end])
}
