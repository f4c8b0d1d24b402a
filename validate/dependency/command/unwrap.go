package command

import "strings"

// wrapper is a program that starts the one that is named in its arguments.
type wrapper struct {
	names  string
	values string // options that take a value
	skip   int    // arguments in front of the command
	// word is the argument that makes it a wrapper: "exec" of bundle.
	word string
	// script is the option whose value is a script: "-c" of su.
	script string
	// split is the option whose value is a command line: "-S" of env.
	split string
	// assigns is set where NAME=value stand in front of the command.
	assigns bool
	// heavy is the runtime that it starts itself.
	heavy string
	// maybe is an argument in front of the command that may be left out.
	maybe string
	// opaque is set for scripts of an image that do more than to start the
	// command, and may do all without one.
	opaque bool
}

// wrappers are the programs that start others, by name.
func wrappers() map[string]*wrapper {
	list := []wrapper{
		{names: "env genv", values: "-u --unset -C --chdir", assigns: true, split: "-S --split-string"},
		{names: "exec", values: "-a"},
		{names: "command builtin nohup setsid time unbuffer catatonit tini-static fakeroot with-contenv winpty"},
		{names: "timeout gtimeout", values: "-k --kill-after -s --signal", skip: 1},
		{names: "nice", values: "-n --adjustment"},
		{names: "ionice", values: "-c --class -n --classdata"},
		{names: "chrt", skip: 1},
		{names: "taskset", skip: 1},
		{names: "stdbuf", values: "-i --input -o --output -e --error"},
		{names: "su-exec gosu setuser", skip: 1},
		{names: "s6-setuidgid chpst s6-envdir envdir", values: "-u -U -e -b -m -d -o -p -f -c -r -t -/ -n", skip: 1},
		{names: "tini", values: "-p -e -v"},
		{names: "dumb-init", values: "-r --rewrite"},
		{names: "sudo", values: "-u --user -g --group -h --host -p --prompt -C -r -t -T -D -R", assigns: true},
		{names: "doas", values: "-u -C"},
		{names: "su", values: "-s --shell -g --group -G", skip: 1, script: "-c --command"},
		{names: "runuser", values: "-u --user -s --shell -g --group -G", script: "-c --command"},
		{names: "chroot", values: "--userspec --groups", skip: 1},
		{names: "setpriv", values: "--reuid --regid --groups --securebits --bounding-set --inh-caps --ambient-caps"},
		{names: "capsh", script: "-c"},
		{names: "unshare prlimit systemd-run"},
		{names: "nsenter", values: "-t --target -S --setuid -G --setgid"},
		{names: "busybox toybox"},
		{names: "script", values: "-t -T -I -O -B -m", script: "-c --command"},
		{names: "flock", values: "-w --wait -E", skip: 1, script: "-c --command"},
		{names: "watch", values: "-n --interval"},
		{names: "retry", values: "-t -d -s -m --tries --delay"},
		{names: "strace ltrace", values: "-o -e -p -s -u"},
		{names: "proxychains proxychains4 torify", values: "-f"},
		{names: "dotenv", values: "-f -e --file -p -v", maybe: "run"},
		{names: "bundle", word: "exec", heavy: "ruby"},
		{names: "poetry pipenv pdm hatch rye uv", word: "run", values: "--directory --project -C", heavy: "python"},
		{names: "conda micromamba mamba", word: "run", values: "-n --name -p --prefix", heavy: "python"},
		{names: "npm pnpm yarn", word: "exec", values: "--prefix -C", heavy: "node"},
		{names: "npx bunx pnpx", values: "-p --package", heavy: "node"},
		{names: "doppler infisical", word: "run", values: "-p --project -c --config --env"},
		{names: "chamber aws-vault", word: "exec", skip: 1},
		{names: "vault-env launcher entrypoint entrypoint.sh docker-entrypoint.sh", opaque: true},
	}
	byName := map[string]*wrapper{}
	for i := range list {
		for name := range strings.FieldsSeq(list[i].names) {
			byName[name] = &list[i]
		}
	}
	return byName
}

// takesValue tells whether an option is in a list of options that take one.
func takesValue(list, option string) bool {
	for rest := list; rest != ""; {
		var item string
		item, rest, _ = strings.Cut(rest, " ")
		if item == option {
			return true
		}
	}
	return false
}

// unwrap finds the command that a wrapper starts, and judges it.
func (r *run) unwrap(w *wrapper, in invocation) string {
	words := in.args()
	skip, wanted := w.skip, w.word
	restore := r.saveVariables()
	defer restore()
	for len(words) > 0 {
		item := words[0].val
		option, glued, hasGlued := cutOption(item)
		switch {
		case item == "--":
			words = words[1:]
			if skip == 0 && wanted == "" {
				return r.inner(w, in, words)
			}
			continue
		case item == "-" && w.script != "":
			words = words[1:] // su - USER
			continue
		case option == "":
			name, value, ok := strings.Cut(item, "=")
			switch {
			case w.assigns && ok && isVariableName(name):
				r.set(name, value)
			case wanted != "":
				if item != wanted {
					return r.unknownProgram(in)
				}
				wanted = ""
			case skip > 0:
				skip--
			case w.maybe != "" && item == w.maybe && len(words) > 1:
			case w.script != "" && hasOption(words, w.script):
				// su - USER -c SCRIPT
			default:
				return r.inner(w, in, words)
			}
			words = words[1:]
		case takesValue(w.script, option):
			return r.innerScript(words, glued, hasGlued)
		case endsInScript(w, item, option):
			return r.innerScript(words, "", false)
		case takesValue(w.split, option):
			return r.innerLine(in, words, glued, hasGlued)
		case takesValue(w.values, option) && !hasGlued && len(words) > 1:
			words = words[2:]
		default:
			words = words[1:]
		}
	}
	return r.inner(w, in, nil)
}

// endsInScript tells whether switches that are written in one end in the one for a
// script: "-qec" of script(1).
func endsInScript(w *wrapper, item, option string) bool {
	if !takesValue(w.script, "-c") || takesValue(w.values, option) || len(item) < 3 || strings.HasPrefix(item, "--") {
		return false
	}
	for i := 1; i < len(item); i++ {
		if c := item[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return item[len(item)-1] == 'c'
}

func hasOption(words []word, list string) bool {
	for _, w := range words {
		if takesValue(list, w.val) {
			return true
		}
	}
	return false
}

// cutOption cuts "--user=app" and "-uapp"; the option is empty for what is none.
func cutOption(item string) (option, value string, glued bool) {
	switch {
	case len(item) < 2 || item[0] != '-':
		return "", "", false
	case strings.HasPrefix(item, "--"):
		option, value, glued = strings.Cut(item, "=")
		return option, value, glued
	case len(item) > 2:
		return item[:2], item[2:], true
	default:
		return item, "", false
	}
}

func (r *run) inner(w *wrapper, in invocation, words []word) string {
	if len(words) == 0 {
		if w.opaque {
			return r.unknownProgram(in)
		}
		return ""
	}
	r.slow(w.heavy, programName(words[0].val))
	return r.simple(in.with(words))
}

// innerScript judges the script of "su -c".
func (r *run) innerScript(words []word, glued string, hasGlued bool) string {
	text := glued
	if !hasGlued {
		if len(words) < 2 {
			return ""
		}
		text = words[1].val
	}
	return r.script(text, shellOptions{}, nil)
}

// innerLine judges the command line of "env -S".
func (r *run) innerLine(in invocation, words []word, glued string, hasGlued bool) string {
	line, rest := glued, words[1:]
	if !hasGlued {
		if len(words) < 2 {
			return ""
		}
		line, rest = words[1].val, words[2:]
	}
	return r.program(in.with(append(splitFields(line, line), rest...)))
}

// splitFields cuts a text at blanks.
func splitFields(text, raw string) []word {
	var words []word
	for f := range strings.FieldsSeq(text) {
		words = append(words, word{val: f, raw: raw})
		if len(words) >= maxWords {
			break
		}
	}
	return words
}
