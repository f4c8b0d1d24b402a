package command

import (
	"strings"

	"github.com/probity-dev/probity/validate/dependency"
)

// scriptName judges an opaque program by its name. A name is no proof, so the
// answer is likely at most, and only names that say both that something is
// checked and what are taken for evidence.
func (r *run) scriptName(in invocation) (dependency.Answer, bool) {
	base := baseName(r.render(in.words[0].val))
	if len(base) > maxEvidence {
		return dependency.Answer{}, false
	}
	name := strings.ToLower(strings.TrimSuffix(base, extension(base)))
	traits := r.nameTraits(name)
	readiness := traits.ready && !traits.live
	switch {
	case traits.local && traits.other || traits.dependency != "" && traits.other && !r.runsNamed(traits.word):
		// ping_liveness_local_and_master.sh
		return likely("another instance (by its name)"), true
	case traits.dependency != "" && traits.checks && !traits.local && !traits.process && !r.runsNamed(traits.word):
		return likely(traits.dependency + " (by its name)"), true
	case readiness:
		return dependency.Answer{
			Scope: dependency.Instance, Likely: true, Readiness: true,
			Asks: "whether this instance is ready (by its name)",
		}, true
	}
	if traits.checks {
		return r.scriptArguments(in)
	}
	return dependency.Answer{}, false
}

func likely(asks string) dependency.Answer {
	return dependency.Answer{Scope: dependency.Shared, Likely: true, Asks: asks}
}

// traits are what the words of a program's name say.
type traits struct {
	checks     bool
	local      bool
	other      bool // another instance
	live       bool
	ready      bool
	process    bool
	dependency string
	word       string
}

func (r *run) nameTraits(name string) traits {
	var t traits
	for w := range nameWords(name) {
		switch w {
		case "check", "checks", "ping", "test", "probe", "health", "healthcheck", "healthz", "healthy", "connection",
			"connect", "connectivity", "alive", "status", "verify", "wait", "waitfor", "monitor", "is", "available":
			t.checks = true
		case "local", "localhost", "self", "own":
			t.local = true
		case "live", "liveness", "livez", "livenessprobe":
			t.live, t.checks = true, true
		case "ready", "readiness", "readyz", "readinessprobe", "readycheck":
			t.ready, t.checks = true, true
		case "process", "processes", "pid", "proc", "file", "disk", "exporter", "sync", "backup",
			"worker", "workers", "consumer", "consumers", "producer", "producers":
			t.process = true
		case "master", "primary", "leader", "upstream", "remote", "peers", "quorum":
			t.other = true
		default:
			if asks := r.vocabulary.all[w]; asks != "" && !r.vocabulary.vague[w] {
				t.dependency, t.word = asks, w
			}
		}
	}
	return t
}

// runsNamed tells whether the system that a word names runs in this container,
// so that a check named after it asks itself.
func (r *run) runsNamed(w string) bool {
	asks := r.vocabulary.all[w]
	if asks == "" {
		return false
	}
	if r.runs(func(w string) bool { return r.vocabulary.all[w] == asks }) {
		return true
	}
	for _, own := range r.req.OwnNames {
		if hasWord(own, func(w string) bool { return r.vocabulary.all[w] == asks }) {
			return true
		}
	}
	return false
}

// scriptArguments looks for a dependency among the arguments of a check:
// "healthcheck.sh redis".
func (r *run) scriptArguments(in invocation) (dependency.Answer, bool) {
	for _, w := range in.args() {
		arg := strings.ToLower(strings.TrimLeft(w.val, "-"))
		if asks := r.vocabulary.all[arg]; asks != "" && !r.vocabulary.vague[arg] && !r.runsNamed(arg) {
			return likely(asks + " (by its argument)"), true
		}
	}
	return dependency.Answer{}, false
}

// extension returns the ending of a script's name.
func extension(base string) string {
	i := strings.LastIndexByte(base, '.')
	if i <= 0 || len(base)-i > 5 {
		return ""
	}
	return base[i:]
}
