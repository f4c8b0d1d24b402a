// Package command tells what the command of an exec probe asks: only this
// process, this instance, or something that every replica shares.
//
// A command is read as the kubelet and the shell would run it: variables are
// expanded, wrappers and shells are looked through, and each simple command that
// the exit status depends on is judged. What a program asks stands in tables
// (see Client), each entry with the source of the fact. Two things decide: the
// host that the program talks to, and what it asks there. A program that no
// table knows stays unknown: a false finding costs more than a missed one.
//
// Nothing is executed, and no work grows faster than the command itself: script
// size, nesting, expansion and the number of commands are bounded, and what is
// beyond the bounds is unknown.
package command

import (
	"sync"

	"github.com/probity-dev/probity/validate/dependency"
	"github.com/probity-dev/probity/validate/dependency/endpoint"
)

// EnvVar is one variable of the container's env.
type EnvVar struct {
	Name  string
	Value string
	// From is empty for a literal value. Otherwise the value is unknown and
	// From says where it comes from: "fieldRef:status.podIP", "secretKeyRef",
	// "configMapKeyRef", "resourceFieldRef".
	From string
}

// Request is an exec probe with the parts of its pod that its command may refer
// to.
type Request struct {
	Argv []string
	Env  []EnvVar
	// EnvFrom is set when a whole ConfigMap or Secret becomes variables: any
	// name may be set then.
	EnvFrom   bool
	Image     string
	Container string
	// OwnNames are host names that mean this pod.
	OwnNames []string
	// Ports are the ports that the containers of this pod declare.
	Ports       []int32
	HostNetwork bool
	Windows     bool
	// CommandArgv is the container's own command and args. It shows what runs
	// in the container when the image's name does not.
	CommandArgv []string
}

// Analysis is what is known of a command.
type Analysis struct {
	Answer dependency.Answer
	// Heavy names what slow program the probe starts: "python",
	// "a JVM (kafka-topics.sh)". Empty when it is light or unknown.
	Heavy string
	// Faults say why the command can never do what it says, each a sentence
	// without a full stop: `argv[0] "pg_isready -h db" is one program name with blanks ...`.
	Faults []string
}

// Endpoints judges the HTTP requests and gRPC services that commands ask.
type Endpoints interface {
	HTTP(r endpoint.Request) dependency.Answer
	GRPC(service string) dependency.Answer
}

// Options add to what an Analyzer knows from the start.
type Options struct {
	// Endpoints is nil for the built-in table of package endpoint.
	Endpoints Endpoints
	// Clients are looked at before the built-in ones.
	Clients []Client
	// Words name further dependencies, as they occur in the names of
	// variables and scripts: "payments" makes $PAYMENTS_HOST another host.
	Words []string
}

// Analyzer answers from the built-in tables and from what Options add. It does
// not change after New and is safe for concurrent use.
type Analyzer struct {
	endpoints  Endpoints
	clients    map[string][]*compiled
	wrappers   map[string]*wrapper
	runtimes   map[string]*runtime
	local      map[string]localProgram
	vocabulary vocabulary
	libraries  []*library
	parsers    *sync.Pool // of *syntax.Parser, which serve one call at a time
}

// standard is the analyzer behind the plain function. It is made at first use,
// so that commands of the binary which judge nothing do not pay for it.
var standard = sync.OnceValue(func() *Analyzer {
	a, err := New(Options{})
	if err != nil {
		panic("command: malformed built-in table: " + err.Error())
	}
	return a
})

// Analyze tells what the command asks, by the built-in tables.
func Analyze(r Request) Analysis { return standard().Analyze(r) }
