package command

import (
	"slices"
	"strings"
)

// withoutOperators notes a shell's operator that stands as an item where no shell reads
// it, and returns what stands in front of it, which is what was meant to run first. An
// operator may as well be a pattern, or mean something to the program: only what such an
// item can hardly be is told.
func (r *run) withoutOperators(words []word) []word {
	if r.req.Windows {
		return words
	}
	for i := 0; i < len(words); i++ {
		if r.readsOperators(words[i].raw) {
			return words
		}
		if i > 0 && r.isStrayOperator(words, i) {
			r.fault("no shell reads " + quoted(words[i].raw) + " here, so it and what follows are arguments of the program; " +
				`run the command in ["sh", "-c", ...]`)
			return words[:i]
		}
	}
	return words
}

// readsOperators tells whether a program may take its arguments for a command line: a
// shell, what hands them to one, a script that can, and expr, whose own operators these
// are.
func (r *run) readsOperators(item string) bool {
	name := programName(item)
	if w := r.wrappers[name]; w != nil && w.opaque {
		return true
	}
	switch name {
	case "ssh", "rsh", "adb", "watch", "eval", "parallel", "expr", "nu", "xonsh", "vtysh":
		return true
	}
	return shellKind(name) != notShell || strings.HasSuffix(name, ".sh")
}

// isStrayOperator tells whether an item is an operator with what makes sense to a shell
// alone behind it.
func (r *run) isStrayOperator(words []word, i int) bool {
	operator, before, next := words[i].raw, words[i-1].raw, ""
	if i+1 < len(words) {
		next = words[i+1].raw
	}
	switch operator {
	case ">", ">>", "1>", "2>", "&>":
		return next == "/dev/null" && !isPattern(before)
	case "2>&1", ">/dev/null", "1>/dev/null", "2>/dev/null", "&>/dev/null":
		return !isPattern(before)
	case "|", "||", "&&":
	case ";":
		if slices.ContainsFunc(words[:i], func(w word) bool { return programName(w.raw) == "find" }) {
			return false // the end of its -exec
		}
	default:
		return false
	}
	// No program has that name, so there is nothing else to mean.
	return next == "exit" || r.isCommand(next) && !isPattern(before)
}

// isPattern tells whether the item behind this one may be any text: the value of an
// option, a pattern, an operand of a comparison.
func isPattern(before string) bool {
	if strings.HasPrefix(before, "-") {
		return true
	}
	switch programName(before) {
	case "=", "!=", "==", "<", ">", "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "awk", "gawk", "mawk", "sed", "jq", "yq", "tr", "cut",
		"test", "[", "[[", "echo", "printf":
		return true
	}
	return false
}

// isCommand tells whether an item is the name of a program that stands in probes.
func (r *run) isCommand(item string) bool {
	switch item {
	case "grep", "egrep", "fgrep", "echo", "test", "[", "true", "false", "wc", "awk", "sed", "head", "tail", "cut", "tr", "sort", "jq",
		"xargs", "tee", "kill", "pkill", "pgrep", "ps", "sleep", "cat", "rm", "touch", "sh", "bash", "/bin/sh", "/bin/bash":
		return true
	}
	return item != "" && len(r.clients[item]) > 0
}
