package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/probity-dev/probity/validate/dependency"
)

// Every alternative of every verb must be reachable: it is found where it is
// said, and no verb in front of it takes its place with another meaning.
func TestEveryVerbIsFound(t *testing.T) {
	for _, c := range Table() {
		for _, v := range c.Verbs {
			for match := range strings.SplitSeq(v.Match, "|") {
				phrase := strings.ReplaceAll(match, "*", "x")
				script := fmt.Sprintf("echo '%s' | %s | grep x", phrase, c.Names[0])
				if strings.HasPrefix(phrase, "-") {
					script = fmt.Sprintf("%s %s | grep x", c.Names[0], phrase)
				}
				if c.Images != "" {
					script = strings.Replace(script, c.Names[0], c.Names[0]+".sh", 1)
				}
				t.Run(c.Names[0]+" "+match, func(t *testing.T) {
					a := Analyze(Request{Argv: []string{"sh", "-c", script}, Image: c.Images})
					want := dependency.Shared
					if v.Local {
						want = dependency.Instance
					}
					if a.Answer.Scope != want || a.Answer.Likely != v.Likely {
						t.Errorf("%q is judged %q (asks %s)", script, verdictOf(a), a.Answer.Asks)
					}
				})
			}
		}
	}
}

func TestEveryWrapperIsLookedThrough(t *testing.T) {
	command := []string{"pg_isready", "-h", "db"}
	for name, w := range wrappers() {
		t.Run(name, func(t *testing.T) {
			argv := []string{name}
			if w.word != "" {
				argv = append(argv, w.word)
			}
			for range w.skip {
				argv = append(argv, "1")
			}
			if w.script == "" {
				argv = append(argv, command...)
			} else {
				option, _, _ := strings.Cut(w.script, " ")
				argv = append(argv, option, strings.Join(command, " "))
			}
			if a := Analyze(Request{Argv: argv}); a.Answer.Asks != `host "db"` {
				t.Errorf("%q is judged %q (asks %s)", argv, verdictOf(a), a.Answer.Asks)
			}
			for option := range strings.FieldsSeq(w.values) {
				argv := slices.Insert(slices.Clone(argv), 1, option, "1")
				if a := Analyze(Request{Argv: argv}); a.Answer.Asks != `host "db"` {
					t.Errorf("%q is judged %q (asks %s)", argv, verdictOf(a), a.Answer.Asks)
				}
			}
		})
	}
}

func TestEveryInterpreterIsHeavyOrHasNoName(t *testing.T) {
	for name, r := range runtimes() {
		for option := range strings.FieldsSeq(r.code) {
			a := Analyze(Request{Argv: []string{name, option, "x('http://inventory/livez')"}})
			if a.Answer.Asks != `host "inventory"` {
				t.Errorf("%s %s: judged %q (asks %s)", name, option, verdictOf(a), a.Answer.Asks)
			}
			if a.Heavy != r.heavy {
				t.Errorf("%s %s: heavy is %q, want %q", name, option, a.Heavy, r.heavy)
			}
		}
	}
}

type snippet struct {
	argv []string
	// code has room for an import, a call and its argument.
	code string
}

// librarySnippets call something of a library.
func librarySnippets() map[language]snippet {
	return map[language]snippet{
		python:     {[]string{"python", "-c"}, "import %[1]s\nx = %[1]s.%[2]s(%[3]s)"},
		javascript: {[]string{"node", "-e"}, "const x = require('%[1]s'); x.%[2]s(%[3]s)"},
		ruby:       {[]string{"ruby", "-e"}, "require '%[1]s'; x.%[2]s %[3]s"},
		php:        {[]string{"php", "-r"}, "use %[1]s; $x->%[2]s($%[3]s);"},
	}
}

func TestEveryLibraryIsFound(t *testing.T) {
	snippets := librarySnippets()
	for _, l := range libraries() {
		s := snippets[l.language]
		for name := range strings.FieldsSeq(l.imports) {
			for call := range strings.FieldsSeq(l.calls) {
				code := fmt.Sprintf(s.code, name, call, "settings")
				a := Analyze(Request{Argv: append(slices.Clone(s.argv), code)})
				if a.Answer.Scope != dependency.Shared || a.Answer.Likely == l.certain {
					t.Errorf("%q is judged %q (asks %s)", code, verdictOf(a), a.Answer.Asks)
				}
			}
		}
		if l.asks == "" || !strings.HasPrefix(l.source, "http") {
			t.Errorf("library %s says not what it asks, or has no source", l.imports)
		}
	}
}

func TestEveryLocalProgramIsLocal(t *testing.T) {
	for name := range localPrograms() {
		a := Analyze(Request{Argv: []string{name, "/tmp/x"}})
		if a.Answer.Scope != dependency.Process {
			t.Errorf("%s is judged %q (asks %s)", name, verdictOf(a), a.Answer.Asks)
		}
	}
}

func TestEveryWordOfAVariableIsEvidence(t *testing.T) {
	for word := range newVocabulary(nil).all {
		name := strings.ToUpper(word) + "_HOST"
		a := Analyze(Request{Argv: []string{"sh", "-c", "nc -z $" + name + " 80"}, Env: []EnvVar{{Name: name, From: "secretKeyRef"}}})
		if verdictOf(a) != "shared" {
			t.Errorf("$%s is judged %q", name, verdictOf(a))
		}
	}
}
