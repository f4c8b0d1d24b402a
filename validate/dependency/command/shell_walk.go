package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/probity-dev/probity/validate/dependency"
)

// flow is what goes into and out of a statement.
type flow struct {
	stdin  string
	reads  bool // somebody reads what it writes
	behind *behind
}

// behind are the statements that are run after one, whatever its exit status: the rest of
// its list, and what stands behind that.
type behind struct {
	rest []*syntax.Stmt
	next *behind
}

// statements judges a list. Of a list the exit status is that of the last
// statement; others count when they can end the shell or when a later one looks
// at what they did.
func (r *run) statements(list []*syntax.Stmt, fl flow) string {
	output := ""
	outer := fl.behind
	for i, s := range list {
		rest := list[i+1:]
		if fl.behind = outer; len(rest) > 0 {
			fl.behind = &behind{rest, outer}
		}
		out := ""
		r.quietly(!r.counts(s, rest), func() { out = r.statement(s, fl) })
		output = joinOutput(output, out)
		if r.exceeded || endsHere(s) {
			break
		}
	}
	return output
}

func joinOutput(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	default:
		return bounded(a + "\n" + b)
	}
}

// counts tells whether anything depends on the outcome of a statement with
// these behind it.
func (r *run) counts(s *syntax.Stmt, rest []*syntax.Stmt) bool {
	o := r.outcomeOf(s)
	switch {
	case s.Background:
		return waits(rest)
	case o.ends:
		return true
	case o.succeeds && !o.assigns:
		return false
	case len(rest) == 0, r.shell.errexit:
		return true
	case o.assigns:
		return !r.allSucceed(rest)
	default:
		return readsStatus(rest[0])
	}
}

// statement judges one statement.
func (r *run) statement(s *syntax.Stmt, fl flow) string {
	if !r.spend() {
		return ""
	}
	r.depth++
	defer func() { r.depth-- }()
	for _, redirect := range s.Redirs {
		r.redirect(redirect, &fl)
	}
	switch cmd := s.Cmd.(type) {
	case *syntax.CallExpr:
		return r.call(cmd, fl)
	case *syntax.BinaryCmd:
		return r.binary(cmd, fl)
	case *syntax.IfClause:
		r.ifClause(cmd, fl)
	case *syntax.WhileClause:
		r.whileClause(cmd, fl)
	case *syntax.ForClause:
		r.forClause(cmd, fl)
	case *syntax.CaseClause:
		r.value(cmd.Word)
		for _, item := range r.caseItems(cmd) {
			r.statements(item.Stmts, fl)
		}
	case *syntax.Block:
		return r.statements(cmd.Stmts, fl)
	case *syntax.Subshell:
		return r.statements(cmd.Stmts, fl)
	case *syntax.FuncDecl:
		r.declare(cmd)
	case *syntax.DeclClause:
		r.declaration(cmd)
	case *syntax.TimeClause:
		if cmd.Stmt != nil {
			return r.statement(cmd.Stmt, fl)
		}
	case *syntax.CoprocClause:
		return r.statement(cmd.Stmt, fl)
	case *syntax.TestClause:
		r.words(cmd)
		r.report(dependency.Answer{Scope: dependency.Process, Asks: asksLocal, Evidence: r.slice(cmd)})
	case nil:
	default:
		r.words(cmd)
	}
	return ""
}

// redirect judges a redirection: bash opens a connection for /dev/tcp/HOST/PORT.
func (r *run) redirect(rd *syntax.Redirect, fl *flow) {
	if rd.Hdoc != nil {
		fl.stdin = r.value(rd.Hdoc)
		return
	}
	if rd.Word == nil {
		return
	}
	value := r.value(rd.Word)
	if rd.Op == syntax.WordHdoc {
		fl.stdin = value
		return
	}
	rest, ok := strings.CutPrefix(value, "/dev/tcp/")
	if !ok {
		rest, ok = strings.CutPrefix(value, "/dev/udp/")
	}
	if !ok {
		return
	}
	host, _, _ := strings.Cut(rest, "/")
	r.port(host, r.slice(rd))
}

// port judges a connection to a host's port.
func (r *run) port(host, text string) {
	p := r.locate(host, subject{})
	switch p.reach {
	case reachLocal:
		r.report(dependency.Answer{Scope: dependency.Process, Asks: asksPort, Evidence: text})
	case reachUnknown, reachNothing:
		r.report(dependency.Answer{Evidence: text})
	default:
		r.reportPlace(p, false, text)
	}
}

// binary judges "a && b", "a || b" and "a | b".
func (r *run) binary(cmd *syntax.BinaryCmd, fl flow) string {
	switch cmd.Op {
	case syntax.Pipe, syntax.PipeAll:
		out := r.statement(cmd.X, flow{stdin: fl.stdin, reads: !looksForItself(r.slice(cmd.Y))})
		return r.statement(cmd.Y, flow{stdin: out, reads: fl.reads})
	case syntax.OrStmt:
		switch r.settled([]*syntax.Stmt{cmd.X}) {
		case isTrue:
			return r.statement(cmd.X, fl)
		case isFalse:
			return r.statement(cmd.Y, fl)
		}
		return r.either(cmd, fl)
	default:
		if r.settled([]*syntax.Stmt{cmd.X}) == isFalse {
			return r.statement(cmd.X, fl)
		}
		out := ""
		r.quietly(r.skips(fl), func() { out = r.statement(cmd.X, fl) })
		return joinOutput(out, r.statement(cmd.Y, fl))
	}
}

// looksForItself tells whether the reader of a list looks for the line about
// this pod: nodetool status | grep "UN $POD_IP".
func looksForItself(reader string) bool {
	for _, own := range [...]string{"POD_IP", "POD_NAME", "HOSTNAME", "hostname", "MY_POD", "POD_HOST"} {
		if strings.Contains(reader, own) {
			return true
		}
	}
	// Its own line says UN as long as it runs.
	return strings.Contains(reader, "UN") && !strings.Contains(reader, "-v") && !strings.Contains(reader, "-c")
}

// either judges "a || b", which fails only when both do. When b looks at this
// pod alone, an outage elsewhere is not enough to fail it.
func (r *run) either(cmd *syntax.BinaryCmd, fl flow) string {
	quiet := r.outcomeOf(cmd.Y).succeeds
	var first, second dependency.Answer
	var firstRank, secondRank rank
	var out string
	r.quietly(quiet || afterOutage([]*syntax.Stmt{cmd.X}) == isTrue, func() {
		first, firstRank = r.apart(func() { out = r.statement(cmd.X, flow{stdin: fl.stdin, reads: fl.reads}) })
	})
	second, secondRank = r.apart(func() { out = joinOutput(out, r.statement(cmd.Y, fl)) })
	if firstRank == rankShared && (secondRank == rankProcess || secondRank == rankInstance) {
		first.Likely = true
	}
	for _, a := range [...]struct {
		answer dependency.Answer
		rank   rank
	}{{first, firstRank}, {second, secondRank}} {
		if a.rank != rankNothing {
			r.report(a.answer)
		}
	}
	return out
}

// maxItems bounds how many rounds of a loop are judged.
const maxItems = 8

// whileClause judges a loop once for each line that it may read.
func (r *run) whileClause(c *syntax.WhileClause, fl flow) {
	lines := strings.SplitN(fl.stdin, "\n", maxItems+1)
	for _, line := range lines[:min(len(lines), maxItems)] {
		r.statements(c.Cond, flow{stdin: line, reads: fl.reads})
		r.statements(c.Do, fl)
	}
}

func (r *run) forClause(c *syntax.ForClause, fl flow) {
	loop, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		r.statements(c.Do, fl)
		return
	}
	var items []word
	for _, w := range loop.Items {
		items = append(items, r.fields(w)...)
	}
	if !loop.InPos.IsValid() {
		for _, a := range r.parameters() {
			items = append(items, word{val: a, raw: a})
		}
	}
	if len(items) == 0 {
		items = []word{{val: r.opaque("$" + loop.Name.Value)}}
	}
	for _, item := range items[:min(len(items), maxItems)] {
		r.set(loop.Name.Value, item.val)
		r.statements(c.Do, fl)
	}
}

func (r *run) declare(f *syntax.FuncDecl) {
	if r.functions == nil {
		r.functions = map[string]*syntax.Stmt{}
	}
	r.functions[f.Name.Value] = f.Body
}

// slice returns a node as it is written.
func (r *run) slice(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(r.source) || from > to {
		return ""
	}
	return r.render(r.source[from:to])
}
