package command

import "mvdan.cc/sh/v3/syntax"

// ifClause judges conditions and branches. What a condition asks does not matter when
// the shell ends as well with an outage as without.
func (r *run) ifClause(c *syntax.IfClause, fl flow) {
	for ; c != nil; c = c.Else {
		switch r.settled(c.Cond) {
		case isTrue:
			r.statements(c.Then, fl)
			return
		case isFalse:
			continue
		}
		r.quietly(r.survives(c, fl), func() {
			r.statements(c.Cond, flow{stdin: fl.stdin})
		})
		r.statements(c.Then, fl)
		if r.exceeded {
			return
		}
	}
}

// survives tells whether nothing fails for the sake of a condition that does. What the
// branches write may tell them apart, where somebody reads it.
func (r *run) survives(c *syntax.IfClause, fl flow) bool {
	if fl.reads {
		return false
	}
	then, otherwise := r.listOutcome(c.Then), outcome{succeeds: true}
	leaves := false // an outage leads out of the shell
	if c.Else != nil {
		otherwise = r.ifOutcome(c.Else)
		leaves = len(c.Else.Cond) == 0 && endsList(c.Else.Then)
	}
	taken, other := otherwise, then
	switch afterOutage(c.Cond) {
	case isFalse:
	case isTrue:
		taken, other, leaves = then, otherwise, endsList(c.Then)
	default:
		taken, leaves = then.or(otherwise), leaves && endsList(c.Then)
	}
	switch {
	case !taken.succeeds || taken.endsBadly:
		return false
	case leaves, r.allGoWell(fl.behind):
		return true
	default:
		// The same is run in both cases, and cannot tell them apart.
		return !other.ends && !taken.ends && !assigns(c) && !readsStatus(fl.behind.rest[0])
	}
}

// ifOutcome joins the outcomes of all branches. Each is worked out once, however many
// an elif stands behind.
func (r *run) ifOutcome(c *syntax.IfClause) outcome {
	if o, ok := r.branches[c]; ok {
		return o
	}
	o := r.listOutcome(c.Then).with(r.listOutcome(c.Cond))
	if c.Else != nil {
		o = o.or(r.ifOutcome(c.Else))
	}
	if r.branches == nil {
		r.branches = map[*syntax.IfClause]outcome{}
	}
	r.branches[c] = o
	return o
}

// skips tells whether "a && b" may go wrong at a without harm: others follow, they
// succeed, and nobody reads what b writes.
func (r *run) skips(fl flow) bool {
	return fl.behind != nil && !fl.reads && !r.shell.errexit && r.allGoWell(fl.behind)
}

// allGoWell tells whether nothing behind a statement can fail.
func (r *run) allGoWell(b *behind) bool {
	for ; b != nil; b = b.next {
		if !r.allSucceed(b.rest) {
			return false
		}
	}
	return true
}

// truth is what an outage makes of a condition.
type truth int

const (
	isEither truth = iota // the answer decides, or more than one part
	isFalse
	isTrue
)

// afterOutage looks at a condition's syntax.
func afterOutage(cond []*syntax.Stmt) truth {
	if len(cond) != 1 {
		return isEither
	}
	s := cond[0]
	t := isEither
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		if !hasSubstitution(cmd) {
			t = isFalse
		}
	case *syntax.Block:
		t = afterOutage(cmd.Stmts)
	case *syntax.Subshell:
		t = afterOutage(cmd.Stmts)
	case *syntax.BinaryCmd:
		if cmd.Op == syntax.AndStmt || cmd.Op == syntax.OrStmt {
			if x := afterOutage([]*syntax.Stmt{cmd.X}); x == afterOutage([]*syntax.Stmt{cmd.Y}) {
				t = x
			}
		}
	}
	switch {
	case !s.Negated || t == isEither:
		return t
	case t == isFalse:
		return isTrue
	default:
		return isFalse
	}
}

// endsList tells whether a list ends the shell in any case.
func endsList(list []*syntax.Stmt) bool {
	for _, s := range list {
		if endsHere(s) {
			return true
		}
	}
	return false
}

// assigns tells whether something is kept that a later statement can look at.
func assigns(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if _, ok := n.(*syntax.Assign); ok {
			found = true
		}
		return !found
	})
	return found
}
