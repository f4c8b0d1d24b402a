package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/probity-dev/probity/validate/dependency"
)

// call judges a simple command of a script.
func (r *run) call(c *syntax.CallExpr, fl flow) string {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(a)
		}
		return ""
	}
	var words []word
	for _, w := range c.Args {
		words = append(words, r.fields(w)...)
		if len(words) > maxWords {
			r.exceeded = true
			return ""
		}
	}
	if len(c.Assigns) > 0 {
		restore := r.saveVariables()
		defer restore()
		for _, a := range c.Assigns {
			r.assign(a)
		}
	}
	return r.simple(invocation{words: words, stdin: fl.stdin, reads: fl.reads})
}

// assign sets the variable of an assignment.
func (r *run) assign(a *syntax.Assign) {
	if a.Name == nil {
		r.value(a.Value)
		return
	}
	name := a.Name.Value
	switch {
	case a.Array != nil:
		var items []string
		for _, e := range a.Array.Elems {
			for _, f := range r.fieldsOf(e.Value) {
				items = append(items, f.val)
			}
		}
		r.set(name, strings.Join(items, " "))
	case a.Naked:
	case a.Append:
		old, _ := r.variable(name)
		r.set(name, old+r.value(a.Value))
	default:
		r.set(name, r.value(a.Value))
	}
}

func (r *run) fieldsOf(w *syntax.Word) []word {
	if w == nil {
		return nil
	}
	return r.fields(w)
}

// declaration judges export, local, declare and readonly.
func (r *run) declaration(d *syntax.DeclClause) {
	for _, a := range d.Args {
		r.assign(a)
	}
}

// simple judges a command that may be a function or a builtin of the shell.
func (r *run) simple(in invocation) string {
	if len(in.words) == 0 {
		return ""
	}
	name := in.words[0].val
	if body, ok := r.functions[name]; ok {
		return r.function(body, in)
	}
	switch name {
	case "true", ":", "false", "exit", "return", "trap", "wait", "cd", "umask", "ulimit", "alias", "hash", "break",
		"continue", "shopt", "getopts", "enable", "jobs", "bg", "fg", "disown", "times", "type", "[[", "sleep":
		return ""
	case "echo", "printf":
		return r.printed(in)
	case "set":
		r.setOptions(in.args())
		return ""
	case "shift":
		if len(r.args) > 1 {
			r.args = append(r.args[:1:1], r.args[2:]...)
		}
		return ""
	case "unset":
		for _, w := range in.args() {
			delete(r.vars, w.val)
		}
		return ""
	case "read", "mapfile", "readarray":
		r.readInto(in)
		return ""
	case "export", "readonly", "local", "declare", "typeset":
		for _, w := range in.args() {
			if key, value, ok := strings.Cut(w.val, "="); ok && isVariableName(key) {
				r.set(key, value)
			}
		}
		return ""
	case "eval":
		return r.eval(in)
	case ".", "source":
		// The file may set any variable. What it asks is not known, and
		// such files are there for their variables.
		r.opaqueEnv = true
		return ""
	case "command", "type -p", "which":
		if looksUp(in.args()) {
			r.report(dependency.Answer{Scope: dependency.Process, Asks: asksLocal, Evidence: written(in.words, nil)})
			return ""
		}
	}
	return r.program(in)
}

// looksUp tells whether "command" only looks for a program: command -v redis-cli.
func looksUp(args []word) bool {
	return len(args) > 0 && (args[0].val == "-v" || args[0].val == "-V")
}

// function judges a call of a function of the script.
func (r *run) function(body *syntax.Stmt, in invocation) string {
	if r.depth > maxDepth {
		r.exceeded = true
		return ""
	}
	outer := r.args
	r.args = make([]string, len(in.words))
	for i, w := range in.words {
		r.args[i] = w.val
	}
	out := r.statement(body, flow{stdin: in.stdin, reads: in.reads})
	r.args = outer
	return out
}

// setOptions judges "set -e", "set -o pipefail" and "set -- words".
func (r *run) setOptions(words []word) {
	for i := 0; i < len(words); i++ {
		item := words[i].val
		switch {
		case item == "--" || item != "" && item[0] != '-' && item[0] != '+':
			if item == "--" {
				i++
			}
			args := []string{"sh"}
			for _, w := range words[i:] {
				args = append(args, w.val)
			}
			r.args = args
			return
		case len(item) > 1:
			for _, c := range item[1:] {
				switch c {
				case 'e':
					r.shell.errexit = item[0] == '-'
				case 'o':
					if i++; i < len(words) {
						r.shell.set(words[i].val, item[0] == '-')
					}
				}
			}
		}
	}
}

// readInto judges "read name".
func (r *run) readInto(in invocation) {
	fields := strings.Fields(in.stdin)
	n := 0
	for _, w := range in.args() {
		if !isVariableName(w.val) {
			continue // an option
		}
		value := r.opaque("$" + w.val)
		if n < len(fields) {
			value = fields[n]
		}
		r.set(w.val, value)
		n++
	}
}

// eval judges the script that its words make up.
func (r *run) eval(in invocation) string {
	if text := strings.TrimSpace(joinValues(in.args())); text != "" {
		return r.script(text, r.shell, r.args)
	}
	return ""
}

// escapes are those that printf and "echo -e" read.
var escapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\0`, "\x00")

// printed returns what echo and printf write.
func (r *run) printed(in invocation) string {
	words := in.args()
	reads := in.words[0].val == "printf"
	for len(words) > 0 && (words[0].val == "-n" || words[0].val == "-e" || words[0].val == "-en" || words[0].val == "-ne") {
		reads = reads || words[0].val != "-n"
		words = words[1:]
	}
	if in.words[0].val == "printf" && len(words) > 0 {
		if words[0].val == "--" {
			words = words[1:]
		}
		if len(words) > 1 && strings.HasPrefix(words[0].val, "%") {
			words = words[1:]
		}
	}
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.val)
		if b.Len() > maxValue {
			break
		}
	}
	text := b.String()
	if reads {
		text = escapes.Replace(text)
	}
	return bounded(strings.TrimSuffix(text, "\n"))
}
