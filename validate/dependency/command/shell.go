package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/probity-dev/probity/validate/dependency"
)

// shellFamily says how a program that runs scripts is called.
type shellFamily uint8

const (
	notShell shellFamily = iota
	posixShell
	foreignShell // fish and csh, whose language is only guessed at
	cmdShell
	powerShell
)

func shellKind(name string) shellFamily {
	switch name {
	case "sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "oksh", "hush", "lksh", "bash.sh":
		return posixShell
	case "fish", "csh", "tcsh":
		return foreignShell
	case "cmd":
		return cmdShell
	case "powershell", "pwsh":
		return powerShell
	}
	return notShell
}

// startShell judges a shell with its arguments.
func (r *run) startShell(kind shellFamily, in invocation) string {
	switch kind {
	case cmdShell:
		r.cmd(in)
		return ""
	case powerShell:
		r.powershell(in)
		return ""
	}
	opts, words, isScript := shellArguments(in.args())
	switch {
	case isScript && len(words) == 0:
		return ""
	case !isScript && len(words) == 0 && in.stdin != "":
		return r.script(in.stdin, opts, nil)
	case !isScript && len(words) == 0:
		r.report(dependency.Answer{Evidence: written(in.words, nil)})
		return ""
	case !isScript:
		r.scriptFile(in, words)
		return ""
	}
	extra := words[1:]
	r.ignoredItems(words[0].val, extra)
	if kind == foreignShell {
		r.guess(words[0].val)
		return ""
	}
	args := make([]string, len(extra))
	for i, w := range extra {
		args[i] = w.val
	}
	return r.script(words[0].val, opts, args)
}

// shellArguments reads the options of a POSIX shell. The words that are left
// start with the script of -c, or with a file.
func shellArguments(words []word) (opts shellOptions, rest []word, isScript bool) {
	for i := 0; i < len(words); i++ {
		item := words[i].val
		switch {
		case item == "--" || item == "-":
			return opts, words[i+1:], isScript
		case strings.HasPrefix(item, "--"):
			if item == "--rcfile" || item == "--init-file" {
				i++
			}
		case item != "" && (item[0] == '-' || item[0] == '+'):
			for _, c := range item[1:] {
				switch c {
				case 'c':
					isScript = true
				case 'e':
					opts.errexit = item[0] == '-'
				case 'o', 'O':
					i++
					if i < len(words) {
						opts.set(words[i].val, item[0] == '-')
					}
				}
			}
		default:
			return opts, words[i:], isScript
		}
	}
	return opts, nil, isScript
}

func (o *shellOptions) set(name string, on bool) {
	switch name {
	case "errexit":
		o.errexit = on
	case "pipefail":
		o.pipefail = on
	}
}

// ignoredItems notes items behind the script of -c. They are the script's
// parameters, and the script must use them.
func (r *run) ignoredItems(script string, extra []word) {
	if len(extra) == 0 || usesParameters(script) {
		return
	}
	if len(extra) == 1 && isScriptLabel(extra[0].val) {
		return
	}
	r.fault("the items after the script of -c are not run, they only become $0, $1, ...: " +
		quoted(written(extra, nil)) + "; make them part of the script")
}

// isScriptLabel tells whether an item is there to be $0.
func isScriptLabel(s string) bool {
	switch s {
	case "", "--", "-", "_":
		return true
	}
	return shellKind(programName(s)) != notShell || !strings.ContainsAny(s, " \t\n") && strings.HasSuffix(s, "probe")
}

// usesParameters tells whether a script reads its parameters.
func usesParameters(script string) bool {
	for _, name := range strings.Split(script, "$")[1:] {
		name = strings.TrimPrefix(name, "{")
		if name != "" && strings.IndexByte("@*#0123456789", name[0]) >= 0 {
			return true
		}
	}
	return strings.Contains(script, "shift") || strings.Contains(script, "getopts")
}

// scriptFile judges a script that is a file of the image or of a volume.
func (r *run) scriptFile(in invocation, words []word) {
	file := words[0].val
	if strings.ContainsAny(file, " \t\n") && !strings.HasPrefix(file, "/") && !strings.HasPrefix(file, ".") {
		r.fault(quoted(file) + " is a script, but without -c a shell takes it for the name of a file; add -c")
	}
	r.unknownProgram(in.with(words))
}

// script judges a script of a POSIX shell and returns what it writes, as far as
// that is known.
func (r *run) script(text string, opts shellOptions, args []string) string {
	if s, ok := r.onlySymbol(strings.TrimSpace(text)); ok {
		r.report(dependency.Answer{Evidence: s.text})
		return ""
	}
	if !r.take(len(text)) || r.depth > maxDepth || nesting(text) > maxNesting {
		r.exceeded = true
		return ""
	}
	parser := r.parsers.Get().(*syntax.Parser)
	file, err := parser.Parse(strings.NewReader(text), "")
	r.parsers.Put(parser)
	if err != nil {
		r.guess(text)
		return ""
	}
	r.depth++
	r.shells++
	source, outer, outerArgs := r.source, r.shell, r.args
	r.source, r.shell, r.args = text, opts, args
	defer func() {
		r.depth--
		r.shells--
		r.source, r.shell, r.args = source, outer, outerArgs
	}()
	return r.statements(file.Stmts, flow{})
}

// maxNesting bounds brackets in each other, before the parser sees them.
const maxNesting = 200

// nesting returns how deep the brackets of a text are in each other at most.
// Quotes are not looked at: it is a bound, not a count.
func nesting(text string) int {
	depth, deepest := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[':
			depth++
			deepest = max(deepest, depth)
		case ')', '}', ']':
			depth = max(depth-1, 0)
		}
	}
	return deepest
}
