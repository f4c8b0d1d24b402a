package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxPattern bounds the values that patterns are tried on: the work is the
// square of it.
const maxPattern = 512

// trimmed expands ${name%pattern} and its relatives.
func (r *run) trimmed(x *syntax.Expansion, value string) string {
	if _, ok := r.onlySymbol(value); ok {
		return value // still what the variable's name says
	}
	pattern := r.value(x.Word)
	if len(value) > maxPattern || len(pattern) > 64 {
		return r.opaque("${...}")
	}
	switch x.Op {
	case syntax.RemSmallSuffix:
		for i := len(value); i >= 0; i-- {
			if globMatch(pattern, value[i:]) {
				return value[:i]
			}
		}
	case syntax.RemLargeSuffix:
		for i := range len(value) + 1 {
			if globMatch(pattern, value[i:]) {
				return value[:i]
			}
		}
	case syntax.RemSmallPrefix:
		for i := range len(value) + 1 {
			if globMatch(pattern, value[:i]) {
				return value[i:]
			}
		}
	case syntax.RemLargePrefix:
		for i := len(value); i >= 0; i-- {
			if globMatch(pattern, value[:i]) {
				return value[i:]
			}
		}
	}
	return value
}

// globMatch matches with * and ?; other characters stand for themselves.
func globMatch(pattern, s string) bool {
	star, mark := -1, 0
	p, i := 0, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[i]):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

// replaced expands ${name/old/new} where the old text is no pattern.
func (r *run) replaced(x *syntax.Replace, value string) string {
	old, with := r.value(x.Orig), r.value(x.With)
	if old == "" || strings.ContainsAny(old, "*?[") {
		return r.opaque("${.../...}")
	}
	if x.All {
		return bounded(strings.ReplaceAll(value, old, with))
	}
	return bounded(strings.Replace(value, old, with, 1))
}
