package command

import (
	"strings"
	"testing"

	"github.com/probity-dev/probity/validate/dependency"
)

// monsters are scripts that try to make the analysis work without end.
func monsters() map[string]string {
	doubling := "a=xxxxxxxxxxxxxxxx\n"
	for range 60 {
		doubling += "a=$a$a\n"
	}
	functions := "f0() { nc -z localhost 1; }\n"
	for i := range 20 {
		n, m := string(rune('a'+i)), string(rune('a'+i-1))
		if i == 0 {
			m = "f0"
		}
		functions += n + "() { " + m + "; " + m + "; }\n"
	}
	return map[string]string{
		"a script over the bound":      "# " + strings.Repeat("x", maxScript) + "\ntrue",
		"many commands":                strings.Repeat("nc -z localhost 1\n", 3000),
		"many loops":                   strings.Repeat("for i in 1 2 3 4 5 6 7 8; do ", 150) + "nc -z localhost 1;" + strings.Repeat(" done;", 150),
		"brackets in brackets":         strings.Repeat("(", 20000) + "true" + strings.Repeat(")", 20000),
		"substitutions in each other":  strings.Repeat("$(", 5000) + "true" + strings.Repeat(")", 5000),
		"quotes in each other":         "echo " + strings.Repeat("\"$(echo ", 150) + "x" + strings.Repeat(")\"", 150),
		"conditions in each other":     strings.Repeat("if true; then ", 3000) + "true" + strings.Repeat("; fi", 3000),
		"a long pipe":                  "nc -z localhost 1" + strings.Repeat(" | cat", 8000),
		"a long list of &&":            "nc -z localhost 1" + strings.Repeat(" && true", 8000),
		"a value that doubles":         doubling + "nc -z $a 80",
		"functions that double":        functions + "t",
		"a function that calls itself": "f() { f; f; }\nf",
		"eval of eval":                 strings.Repeat("eval ", 8000) + "true",
		"shells in shells":             strings.Repeat("sh -c '", 1) + strings.Repeat("sh -c ", 5000) + "true'",
		"wrappers in wrappers":         strings.Repeat("env ", 12000) + "true",
		"an open heredoc":              strings.Repeat("cat <<A\n", 3000),
		"negations":                    strings.Repeat("! ", 30000) + "true",
		"braces of a parameter":        "echo " + strings.Repeat("${a:-", 190) + "x" + strings.Repeat("}", 190),
		"a long trim":                  "a=" + strings.Repeat("ab", 8000) + "\nnc -z ${a%%*b*a*b*a*b*a} 80",
		"a long pattern":               "a=" + strings.Repeat("b", 80) + "db\nnc -z ${a#" + strings.Repeat("b", 80) + "} 80",
		"arithmetic":                   "(( " + strings.Repeat("-", 30000) + "1 ))",
	}
}

func TestMonstersEndWithoutAClaim(t *testing.T) {
	for name, script := range monsters() {
		t.Run(name, func(t *testing.T) {
			a := Analyze(Request{Argv: []string{"bash", "-c", script}})
			if a.Answer.Scope == dependency.Shared && !a.Answer.Likely {
				t.Errorf("judged %q, asks %s", verdictOf(a), a.Answer.Asks)
			}
			if len(a.Answer.Evidence) > maxEvidence {
				t.Errorf("evidence is %d bytes long", len(a.Answer.Evidence))
			}
		})
	}
}

func TestWhatIsBeyondTheBoundsIsUnknown(t *testing.T) {
	m := monsters()
	for _, name := range []string{"a script over the bound", "many commands", "a long trim", "a long pattern", "brackets in brackets", "functions that double", "a function that calls itself"} {
		t.Run(name, func(t *testing.T) {
			if got := verdictOf(Analyze(Request{Argv: []string{"bash", "-c", m[name]}})); got != "unknown" {
				t.Errorf("judged %q, want unknown", got)
			}
		})
	}
}

func TestAnEmptyCommandIsUnknown(t *testing.T) {
	equal(t, "analysis", Analyze(Request{}), Analysis{})
}

func TestALongCommandLineIsUnknown(t *testing.T) {
	argv := strings.Fields(strings.Repeat("x ", maxWords+1))
	equal(t, "analysis", Analyze(Request{Argv: argv}), Analysis{})
}
