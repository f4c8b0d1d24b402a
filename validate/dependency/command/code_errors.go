package command

import "github.com/probity-dev/probity/validate/dependency"

// forgiving judges by f. When the code catches errors, an outage is only likely to fail
// the probe: nobody follows here where the handler leads.
func (r *run) forgiving(catches bool, f func()) {
	answer, found := r.apart(f)
	if found == rankNothing {
		return
	}
	if catches && answer.Scope == dependency.Shared {
		answer.Likely = true
	}
	r.report(answer)
}

// catchesAll tells whether code has a handler of errors, and nothing that fails on
// purpose: no "raise", no exit status but 0.
func catchesAll(tokens []token) bool {
	handles := false
	for i, t := range tokens {
		switch {
		case t.text == "error" && i > 1 && tokens[i-1].text == "(" && tokens[i-2].text == "on":
			handles = true // .on('error', ...)
		case t.kind != tokName:
		case t.text == "except", t.text == "rescue", t.text == "catch":
			handles = true
		case t.text == "raise", t.text == "throw", t.text == "die", t.text == "croak", t.text == "abort":
			return false
		case t.text == "exit", t.text == "_exit", t.text == "quit", t.text == "exitCode":
			if !exitsWell(tokens[i+1:]) {
				return false
			}
		}
	}
	return handles
}

// exitsWell tells whether what stands behind "exit" is nothing, or a success.
func exitsWell(behind []token) bool {
	for len(behind) > 0 && behind[0].kind == tokMark && (behind[0].text == "(" || behind[0].text == "=") {
		behind = behind[1:]
	}
	if len(behind) == 0 {
		return true
	}
	switch next := behind[0]; next.kind {
	case tokNumber, tokName:
		return next.text == "0" || next.text == "true" || next.text == "False" || next.text == "None"
	case tokMark:
		return next.text == ")" || next.text == ";" || next.text == "}"
	default:
		return false
	}
}
