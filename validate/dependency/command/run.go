package command

import (
	"fmt"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/probity-dev/probity/validate/dependency"
)

// Bounds of one analysis. What is beyond them is unknown.
const (
	maxScript   = 16 << 10 // bytes of shell and code that are read in all
	maxCommands = 400      // commands that are judged
	maxDepth    = 24       // shells, functions and compound commands in each other
	maxWords    = 512      // items of one command line
)

// run is one analysis.
type run struct {
	*Analyzer
	req     *Request
	symbols []symbol

	vars      map[string]string // what the script sets
	functions map[string]*syntax.Stmt
	outcomes  map[*syntax.Stmt]outcome
	branches  map[*syntax.IfClause]outcome
	succeed   map[*syntax.Stmt]bool // with all behind it in its list
	args      []string              // positional parameters
	source    string                // the script that is being walked
	shell     shellOptions
	// opaqueEnv is set once a file was sourced: it may have set any variable.
	opaqueEnv bool

	commands int
	read     int // bytes of shell and code
	depth    int
	exceeded bool

	// shells counts the shells around the command: each expands variables.
	shells int

	// muted counts the enclosing statements whose outcome nothing depends on.
	muted int
	// doubtful counts the enclosing texts that could only be guessed at:
	// nothing is proven there.
	doubtful int

	best   dependency.Answer
	rank   rank
	heavy  string
	faults []string
}

type shellOptions struct{ errexit, pipefail bool }

// rank orders what the commands of one script ask by what matters most.
type rank uint8

const (
	rankNothing rank = iota
	rankProcess
	rankInstance
	rankUnknown
	rankLikelyReadiness
	rankLikelyShared
	rankReadiness
	rankShared
)

func rankOf(a dependency.Answer) rank {
	switch {
	case a.Scope == dependency.Shared && !a.Likely:
		return rankShared
	case a.Readiness && !a.Likely:
		return rankReadiness
	case a.Scope == dependency.Shared:
		return rankLikelyShared
	case a.Readiness:
		return rankLikelyReadiness
	case a.Scope == dependency.Unknown:
		return rankUnknown
	case a.Scope == dependency.Instance:
		return rankInstance
	default:
		return rankProcess
	}
}

// New returns an analyzer that knows the built-in tables and the options. The
// error names the client that is malformed and says what is legal.
func New(opts Options) (*Analyzer, error) {
	a := &Analyzer{
		endpoints:  opts.Endpoints,
		clients:    map[string][]*compiled{},
		wrappers:   wrappers(),
		runtimes:   runtimes(),
		local:      localPrograms(),
		vocabulary: newVocabulary(opts.Words),
		libraries:  libraries(),
		parsers:    &sync.Pool{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }},
	}
	if a.endpoints == nil {
		a.endpoints = builtinEndpoints{}
	}
	for _, family := range append([][]Client{opts.Clients}, families()...) {
		for i := range family {
			if err := a.add(family[i]); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}

// add makes a client known by its names.
func (a *Analyzer) add(client Client) error {
	c, err := compile(client)
	if err != nil {
		return err
	}
	for _, name := range c.Names {
		a.clients[name] = append(a.clients[name], c)
		if c.Scripts {
			a.clients[name+".sh"] = append(a.clients[name+".sh"], c)
			a.clients[name+".bat"] = append(a.clients[name+".bat"], c)
		}
	}
	return nil
}

// clientOf returns the client of this name that is in the container's image.
func (r *run) clientOf(name string) *compiled {
	for _, c := range r.clients[name] {
		if c.Images == "" || r.hasImage(c.Images) {
			return c
		}
	}
	return nil
}

// Analyze tells what the command asks. It never fails: what cannot be read is
// unknown.
func (a *Analyzer) Analyze(req Request) Analysis {
	if len(req.Argv) == 0 || len(req.Argv) > maxWords {
		return Analysis{}
	}
	r := &run{Analyzer: a, req: &req}
	words := r.kubeletArgv(req.Argv)
	if fault := blankProgram(req.Argv[0], req.Windows); fault != "" {
		return Analysis{
			Answer: dependency.Answer{Evidence: written(words, nil)},
			Faults: []string{fault},
		}
	}
	words = r.withoutOperators(words)
	r.program(invocation{words: words})
	return r.analysis(words)
}

// analysis sums up what the commands asked.
func (r *run) analysis(words []word) Analysis {
	a := Analysis{Answer: r.best, Heavy: r.heavy, Faults: r.faults}
	switch {
	case r.exceeded && r.rank < rankLikelyReadiness:
		a.Answer = dependency.Answer{}
	case r.rank == rankNothing:
		a.Answer = dependency.Answer{Scope: dependency.Process, Asks: asksProcess}
	}
	if a.Answer.Evidence == "" {
		a.Answer.Evidence = written(words, nil)
	}
	return a
}

// Texts for what asks nobody else.
const (
	asksProcess = "nothing outside of this container"
	asksLocal   = "files and processes of this container"
	asksPort    = "whether a port of this pod accepts connections"
)

// report notes what a command asks, if anything depends on it.
func (r *run) report(a dependency.Answer) {
	if r.muted > 0 {
		return
	}
	if r.doubtful > 0 {
		switch {
		case a.Scope == dependency.Shared || a.Readiness:
			a.Likely = true
		default:
			a = dependency.Answer{Evidence: a.Evidence}
		}
	}
	if k := rankOf(a); k > r.rank {
		a.Evidence = evidence(a.Evidence)
		r.best, r.rank = a, k
	}
}

// slow notes the slow program that the probe starts; the first one counts. It
// costs its time whether or not anything depends on its outcome.
func (r *run) slow(runtime, program string) {
	switch {
	case runtime == "" || r.heavy != "":
	case runtime == program:
		r.heavy = runtime
	default:
		r.heavy = runtime + " (" + program + ")"
	}
}

func (r *run) fault(text string) {
	if r.muted > 0 || r.doubtful > 0 || len(r.faults) >= 4 {
		return
	}
	for _, known := range r.faults {
		if known == text {
			return
		}
	}
	r.faults = append(r.faults, text)
}

// spend counts one more command, and tells whether it may be judged.
func (r *run) spend() bool {
	r.commands++
	if r.commands > maxCommands || r.depth > maxDepth {
		r.exceeded = true
	}
	return !r.exceeded
}

// take counts bytes of a script, and tells whether they may be read.
func (r *run) take(n int) bool {
	r.read += n
	if r.read > maxScript {
		r.exceeded = true
	}
	return !r.exceeded
}

// quietly runs f with its outcome ignored when quiet is set.
func (r *run) quietly(quiet bool, f func()) {
	if quiet {
		r.muted++
		defer func() { r.muted-- }()
	}
	f()
}

// apart runs f and returns what it asks instead of noting it.
func (r *run) apart(f func()) (dependency.Answer, rank) {
	best, k := r.best, r.rank
	r.best, r.rank = dependency.Answer{}, rankNothing
	f()
	best, r.best = r.best, best
	k, r.rank = r.rank, k
	return best, k
}

// blankProgram tells why a command cannot be started at all: its first item is
// a whole command line.
func blankProgram(name string, windows bool) string {
	trimmed := strings.TrimSpace(name)
	if trimmed == "" {
		return "argv[0] is empty; name the program there"
	}
	if !strings.ContainsAny(trimmed, " \t\n") {
		return ""
	}
	if isPathWithBlanks(trimmed, windows) {
		return ""
	}
	shell := `["sh", "-c", ...]`
	if windows {
		shell = `["cmd", "/c", ...]`
	}
	return fmt.Sprintf("argv[0] %s has blanks: no such program can exist, as no shell splits it; "+
		"write one item for each argument, or %s", quoted(trimmed), shell)
}

// isPathWithBlanks tells whether a name with blanks is the path of one program:
// `C:\Program Files\app\check.exe`.
func isPathWithBlanks(name string, windows bool) bool {
	lower := strings.ToLower(name)
	if windows || strings.Contains(name, `:\`) {
		for _, end := range [...]string{".exe", ".cmd", ".bat", ".com", ".ps1"} {
			if strings.HasSuffix(lower, end) {
				return true
			}
		}
	}
	first, rest, _ := strings.Cut(name, " ")
	return strings.HasPrefix(first, "/") && strings.Contains(rest, "/") &&
		!strings.HasPrefix(rest, "/") && !strings.Contains(rest, " ") && !strings.Contains(rest, "://") &&
		!strings.HasPrefix(rest, "-")
}
