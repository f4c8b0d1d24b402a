package command

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// outcome is what the syntax of a statement says about its exit status.
type outcome struct {
	succeeds  bool // it always has exit status 0
	ends      bool // it can end the shell, or kill the process that the container stands for
	endsBadly bool // the same, with a failure
	exits     bool // "exit" is somewhere in it, in a function's body too
	assigns   bool // it keeps what a command writes: out=$(redis-cli ping)
}

// outcomeOf returns the outcome of a statement. Each is worked out once, however
// often a function is called or a list is looked at.
func (r *run) outcomeOf(s *syntax.Stmt) outcome {
	if o, ok := r.outcomes[s]; ok {
		return o
	}
	if r.outcomes == nil {
		r.outcomes = map[*syntax.Stmt]outcome{}
	}
	r.outcomes[s] = outcome{} // for a function that calls itself
	o := r.commandOutcome(s)
	if s.Background {
		o.succeeds, o.ends, o.endsBadly = true, false, false
	}
	if s.Negated || hasNetworkRedirect(s) {
		o.succeeds = false
	}
	r.outcomes[s] = o
	return o
}

func (r *run) commandOutcome(s *syntax.Stmt) outcome {
	switch cmd := s.Cmd.(type) {
	case nil:
		return outcome{succeeds: len(s.Redirs) == 0}
	case *syntax.CallExpr:
		return r.callOutcome(cmd)
	case *syntax.FuncDecl:
		return outcome{succeeds: true}
	case *syntax.DeclClause:
		return outcome{succeeds: true, assigns: hasSubstitution(cmd)}
	case *syntax.BinaryCmd:
		return r.binaryOutcome(cmd)
	case *syntax.Block:
		return r.listOutcome(cmd.Stmts)
	case *syntax.Subshell:
		o := r.listOutcome(cmd.Stmts)
		o.ends, o.endsBadly, o.assigns = false, false, false
		return o
	case *syntax.IfClause:
		return r.ifOutcome(cmd)
	case *syntax.CaseClause:
		o := outcome{succeeds: true}
		for _, item := range cmd.Items {
			o = o.or(r.listOutcome(item.Stmts))
		}
		return o
	case *syntax.WhileClause:
		// It ends when its condition says so, which may be never.
		o := r.listOutcome(cmd.Do).with(r.listOutcome(cmd.Cond))
		o.succeeds, o.ends = false, true
		return o
	case *syntax.ForClause:
		return r.listOutcome(cmd.Do)
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			return r.outcomeOf(cmd.Stmt)
		}
	}
	return outcome{}
}

// or joins the outcomes of two branches.
func (o outcome) or(other outcome) outcome {
	succeeds := o.succeeds && other.succeeds
	o = o.with(other)
	o.succeeds = succeeds
	return o
}

// with adds what another statement can do, and keeps the exit status.
func (o outcome) with(other outcome) outcome {
	o.ends = o.ends || other.ends
	o.endsBadly = o.endsBadly || other.endsBadly
	o.exits = o.exits || other.exits
	o.assigns = o.assigns || other.assigns
	return o
}

// listOutcome joins a list: its status is that of the last statement.
func (r *run) listOutcome(list []*syntax.Stmt) outcome {
	o := outcome{succeeds: true}
	for _, s := range list {
		next := r.outcomeOf(s)
		o = o.with(next)
		o.succeeds = next.succeeds
	}
	o.succeeds = o.succeeds && !o.endsBadly
	return o
}

func (r *run) binaryOutcome(cmd *syntax.BinaryCmd) outcome {
	x, y := r.outcomeOf(cmd.X), r.outcomeOf(cmd.Y)
	o := x.with(y)
	switch cmd.Op {
	case syntax.OrStmt:
		o.succeeds = x.succeeds || y.succeeds
	case syntax.AndStmt:
		o.succeeds = x.succeeds && y.succeeds
	default:
		o.succeeds = y.succeeds
		o.ends, o.endsBadly = false, false // each runs in a shell of its own
	}
	return o
}

func (r *run) callOutcome(c *syntax.CallExpr) outcome {
	if len(c.Args) == 0 {
		substitutes := hasSubstitution(c)
		return outcome{succeeds: !substitutes, assigns: substitutes}
	}
	name := c.Args[0].Lit()
	if body := r.functions[name]; body != nil {
		exits := r.outcomeOf(body).exits
		return outcome{ends: exits, endsBadly: exits, exits: exits}
	}
	switch name {
	case "true", ":", "echo", "printf", "set", "unset", "trap", "shift", "umask", "alias", "sleep":
		return outcome{succeeds: true}
	case "exit", "return":
		ok := len(c.Args) == 2 && c.Args[1].Lit() == "0"
		return outcome{succeeds: ok, ends: true, endsBadly: !ok, exits: name == "exit"}
	case "exec", "kill":
		ends := len(c.Args) > 1
		return outcome{ends: ends, endsBadly: ends}
	case "read", "mapfile", "readarray":
		return outcome{assigns: true}
	}
	return outcome{}
}

// hasNetworkRedirect tells whether a redirection may fail for the network's sake.
func hasNetworkRedirect(s *syntax.Stmt) bool {
	for _, rd := range s.Redirs {
		if rd.Word == nil || rd.Hdoc != nil || rd.Op == syntax.WordHdoc || rd.Op == syntax.DplOut || rd.Op == syntax.DplIn {
			continue
		}
		file := rd.Word.Lit()
		if file == "" || len(file) > 5 && file[:5] == "/dev/" && file != "/dev/null" {
			return true
		}
	}
	return false
}

func hasSubstitution(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		}
		return !found
	})
	return found
}

// allSucceed tells whether nothing in a list can fail. It is worked out once for the list
// and all its ends.
func (r *run) allSucceed(list []*syntax.Stmt) bool {
	if len(list) == 0 {
		return true
	}
	if all, ok := r.succeed[list[0]]; ok {
		return all
	}
	if r.succeed == nil {
		r.succeed = map[*syntax.Stmt]bool{}
	}
	all := true
	for _, s := range slices.Backward(list) {
		o := r.outcomeOf(s)
		all = all && o.succeeds && !o.endsBadly
		r.succeed[s] = all
	}
	return all
}

// endsHere tells whether nothing behind a statement is run.
func endsHere(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Background || len(c.Args) == 0 {
		return false
	}
	switch c.Args[0].Lit() {
	case "exit", "return":
		return true
	case "exec":
		return len(c.Args) > 1
	}
	return false
}

// readsStatus tells whether a statement looks at $?, or ends with the status of
// the one before.
func readsStatus(s *syntax.Stmt) bool {
	if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) == 1 && c.Args[0].Lit() == "exit" {
		return true
	}
	found := false
	syntax.Walk(s, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && p.Param.Value == "?" {
			found = true
		}
		return !found
	})
	return found
}

// waits tells whether a list waits for what runs in the background.
func waits(list []*syntax.Stmt) bool {
	for _, s := range list {
		if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 && c.Args[0].Lit() == "wait" {
			return true
		}
	}
	return false
}
