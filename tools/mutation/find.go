package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// documentation are the fields of tables that only people read: no test can tell
// one text from another.
var documentation = []string{"ID", "Title", "Category", "Why", "Fix", "Since", "Source", "Sources", "Doc", "Text"}

// finder collects what can be broken in one file.
type finder struct {
	pkg  *pkg
	file *file
	// parents leads from the file to the node at hand.
	parents []ast.Node
	found   []*breakage
}

// find gives all breakages of a file, in the order of the file. Some may not
// compile.
func find(p *pkg, f *file) []*breakage {
	s := &finder{pkg: p, file: f}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if n == nil {
			s.parents = s.parents[:len(s.parents)-1]
			return true
		}
		if s.beyond(n) {
			return false
		}
		s.breakNode(n)
		s.parents = append(s.parents, n)
		return true
	})
	slices.SortStableFunc(s.found, func(a, b *breakage) int { return a.edit.start - b.edit.start })
	for _, b := range s.found {
		b.describe(f.src)
	}
	number(s.found)
	return s.found
}

// beyond reports what is left whole: imports, types, constants, which a
// switch cannot be in, and documentation.
func (s *finder) beyond(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok != token.VAR
	case *ast.ArrayType, *ast.StructType, *ast.FuncType, *ast.MapType:
		return true
	case *ast.KeyValueExpr:
		name, ok := n.Key.(*ast.Ident)
		return ok && s.isField(name) && slices.Contains(documentation, name.Name)
	}
	return false
}

func (s *finder) isField(name *ast.Ident) bool {
	v, ok := s.pkg.info.Uses[name].(*types.Var)
	return ok && v.IsField()
}

func (s *finder) breakNode(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		s.breakOperator(n)
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			s.edit(kindLogic, n, span{s.at(n.Pos()), s.at(n.X.Pos())}, "")
		}
	case *ast.IfStmt:
		s.force(n.Cond, "true", "false")
	case *ast.ForStmt:
		s.force(n.Cond, "false")
	case *ast.CaseClause:
		s.breakCase(n)
	case *ast.BasicLit:
		s.breakNumber(n)
	case *ast.Ident:
		s.breakConstant(n, n)
	case *ast.SelectorExpr:
		s.breakConstant(n, n.Sel)
	case *ast.CompositeLit:
		s.breakTable(n)
	case ast.Stmt:
		s.breakStatement(n)
	}
}

// operators are what becomes of an operator.
var operators = map[token.Token]string{
	token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=", token.NEQ: "==",
	token.LAND: "||", token.LOR: "&&",
	token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*",
}

func (s *finder) breakOperator(n *ast.BinaryExpr) {
	with, ok := operators[n.Op]
	of := s.typeOf(n)
	if !ok || of == nil || s.pkg.info.Types[n].Value != nil {
		return
	}
	kind := kindCompare
	switch n.Op {
	case token.LAND, token.LOR:
		kind = kindLogic
	case token.ADD, token.SUB, token.MUL, token.QUO:
		kind = kindSum
		if basic, ok := of.Underlying().(*types.Basic); !ok || basic.Info()&types.IsNumeric == 0 {
			return
		}
	}
	if kind == kindSum && s.isInCallOf("make") {
		return // the size that something is made with is no bound
	}
	at := s.at(n.OpPos)
	s.edit(kind, n, span{at, at + len(n.Op.String())}, with)
}

// force makes a condition always true, or never.
func (s *finder) force(condition ast.Expr, with ...string) {
	if condition == nil {
		return
	}
	for _, w := range with {
		s.edit(kindCondition, condition, s.span(condition), w)
	}
}

// breakCase forces the conditions of a switch without a tag, and takes words out
// of a list of them.
func (s *finder) breakCase(n *ast.CaseClause) {
	of := s.parents[len(s.parents)-2]
	sw, ok := of.(*ast.SwitchStmt)
	if !ok {
		return
	}
	for _, e := range n.List {
		if sw.Tag == nil {
			s.force(e, "true", "false")
			continue
		}
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			s.edit(kindElement, lit, s.span(lit), `"\x00"`).form = formConstant
		}
	}
}

// breakNumber moves a bound by one. The size that something is made with is none.
func (s *finder) breakNumber(n *ast.BasicLit) {
	of := s.typeOf(n)
	value, known := s.pkg.info.Types[n]
	if n.Kind != token.INT || s.spell(of) == "" || !known || s.isInCallOf("make") || s.isBesideFalse() {
		return
	}
	if basic, ok := of.Underlying().(*types.Basic); !ok || basic.Info()&types.IsInteger == 0 || basic.Info()&types.IsUntyped != 0 {
		return
	}
	next := constant.BinaryOp(value.Value, token.ADD, constant.MakeInt64(1))
	s.edit(kindBound, n, s.span(n), next.ExactString()).form = formConstant
}

// isInCallOf reports whether the node is part of an argument of a function.
func (s *finder) isInCallOf(name string) bool {
	for i := len(s.parents) - 1; i >= 0; i-- {
		switch parent := s.parents[i].(type) {
		case *ast.BinaryExpr, *ast.ParenExpr:
		case *ast.CallExpr:
			f, ok := parent.Fun.(*ast.Ident)
			return ok && f.Name == name
		default:
			return false
		}
	}
	return false
}

// isBesideFalse reports whether the node is a result beside a false one, which by
// custom says that the others are not to be read.
func (s *finder) isBesideFalse() bool {
	r, ok := s.parents[len(s.parents)-1].(*ast.ReturnStmt)
	return ok && slices.ContainsFunc(r.Results, func(e ast.Expr) bool {
		name, ok := e.(*ast.Ident)
		return ok && name.Name == "false"
	})
}

// breakConstant puts another constant of the same type in the place of one: an
// action, a kind of probe, true or false.
func (s *finder) breakConstant(whole ast.Expr, name *ast.Ident) {
	if parent, ok := s.parents[len(s.parents)-1].(*ast.SelectorExpr); ok && parent.Sel == name {
		return // comes with the selector
	}
	c, ok := s.pkg.info.Uses[name].(*types.Const)
	if !ok {
		return
	}
	if c.Pkg() == nil {
		if other, ok := map[string]string{"true": "false", "false": "true"}[name.Name]; ok {
			s.edit(kindConstant, whole, s.span(whole), other).form = formConstant
		}
		return
	}
	named, ok := c.Type().(*types.Named)
	if !ok || !strings.HasPrefix(c.Pkg().Path(), s.pkg.module) || s.spell(named) == "" {
		return
	}
	if other := neighbour(c, named); other != "" {
		s.edit(kindConstant, whole, s.span(name), other).form = formConstant
	}
}

// neighbour is the next constant of the same type, in the order of their values.
func neighbour(c *types.Const, of *types.Named) string {
	byValue := map[string]*types.Const{}
	scope := c.Pkg().Scope()
	for _, name := range scope.Names() {
		other, ok := scope.Lookup(name).(*types.Const)
		if ok && other.Type() == of && other.Val().ExactString() != c.Val().ExactString() {
			byValue[other.Val().ExactString()] = other
		}
	}
	if len(byValue) == 0 {
		return ""
	}
	others := slices.SortedFunc(maps.Values(byValue), func(a, b *types.Const) int {
		if constant.Compare(a.Val(), token.LSS, b.Val()) {
			return -1
		}
		return 1
	})
	for _, other := range others {
		if constant.Compare(other.Val(), token.GTR, c.Val()) {
			return other.Name()
		}
	}
	return others[0].Name()
}
