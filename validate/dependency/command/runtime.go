package command

import (
	"strings"

	"github.com/probity-dev/probity/validate/dependency"
)

// language is what inline code is written in.
type language uint8

const (
	noLanguage language = iota
	python
	javascript
	ruby
	php
	perl
	otherLanguage
)

// runtime is an interpreter.
type runtime struct {
	names    string
	heavy    string
	language language
	code     string // options whose value is code
	module   string // options whose value is a program to run: "python -m celery"
	values   string // other options that take a value
	// command is an argument in front of the code: "deno eval CODE".
	command string
	// jar is set for Java, which takes a class for an argument.
	jar bool
}

// runtimes are the interpreters, by name.
func runtimes() map[string]*runtime {
	list := []runtime{
		{
			names: "python pypy", heavy: "python", language: python,
			code: "-c", module: "-m", values: "-W -X -Q --check-hash-based-pycs",
		},
		{
			names: "node nodejs bun", heavy: "node", language: javascript, code: "-e --eval -p --print -pe",
			values: "-r --require --import --loader --env-file -C --conditions",
		},
		{names: "deno", heavy: "node", language: javascript, command: "eval", values: "-c --config"},
		{names: "ruby jruby", heavy: "ruby", language: ruby, code: "-e", values: "-I -r -C -E -S"},
		{names: "php", heavy: "php", language: php, code: "-r --run", values: "-d -c -f --file --define -z -t"},
		{names: "perl", heavy: "perl", language: perl, code: "-e -E", values: "-I -M -m"},
		{names: "lua luajit", language: otherLanguage, code: "-e", values: "-l"},
		{names: "Rscript R", heavy: "R", language: otherLanguage, code: "-e"},
		{names: "elixir iex", heavy: "an Erlang VM", language: otherLanguage, code: "-e --eval", values: "-S -r"},
		{names: "erl", heavy: "an Erlang VM", language: otherLanguage, code: "-eval", values: "-name -sname -setcookie"},
		{names: "groovy jshell", heavy: "a JVM", language: otherLanguage, code: "-e", values: "-cp -classpath"},
		{
			names: "java", heavy: "a JVM", language: otherLanguage, jar: true,
			values: "-cp -classpath --class-path -p --module-path --add-modules --add-opens --add-exports",
		},
		{names: "dotnet", heavy: "the .NET runtime", language: otherLanguage},
	}
	byName := map[string]*runtime{}
	for i := range list {
		for name := range strings.FieldsSeq(list[i].names) {
			byName[strings.ToLower(name)] = &list[i]
		}
	}
	return byName
}

// runtimeOf finds an interpreter, "python3.12" too.
func (r *run) runtimeOf(name string) *runtime {
	if t := r.runtimes[name]; t != nil {
		return t
	}
	bare := strings.TrimRight(name, "0123456789.-")
	if bare == name || bare == "" {
		return nil
	}
	return r.runtimes[bare]
}

// languageOf returns the language that a client's code is in.
func languageOf(heavy string) language {
	switch heavy {
	case "python":
		return python
	case "node":
		return javascript
	case "ruby":
		return ruby
	case "php":
		return php
	}
	return otherLanguage
}

// interpreter judges an interpreter with its arguments.
func (r *run) interpreter(t *runtime, in invocation) {
	text := written(in.words, nil)
	words := in.args()
	for i := 0; i < len(words); i++ {
		item := words[i].val
		option, glued, hasGlued := cutOption(item)
		if takesValue(t.code, item) || takesValue(t.module, item) {
			option, hasGlued = item, false
		}
		switch {
		case option == "" && item == "-":
			r.slow(t.heavy, t.heavy)
			r.codeOrUnknown(in.stdin, t.language, text)
			return
		case option == "":
			r.interpreterFile(t, in, words[i:])
			return
		case t.jar && item == "-jar":
			if i+1 < len(words) {
				r.interpreterFile(t, in, words[i+1:])
			}
			return
		case takesValue(t.code, option):
			r.slow(t.heavy, t.heavy)
			code := glued
			if !hasGlued && i+1 < len(words) {
				code = words[i+1].val
			}
			r.codeOrUnknown(code, t.language, text)
			return
		case takesValue(t.module, option):
			r.slow(t.heavy, t.heavy)
			rest := words[i+1:]
			if hasGlued {
				rest = append([]word{{val: glued, raw: words[i].raw}}, rest...)
			}
			r.module(in, rest)
			return
		case takesValue(t.values, option) && !hasGlued:
			i++
		case isVersion(item):
			r.slow(t.heavy, t.heavy)
			r.report(dependency.Answer{Scope: dependency.Process, Asks: asksLocal, Evidence: text})
			return
		}
	}
	if in.stdin != "" {
		r.slow(t.heavy, t.heavy)
		r.codeOrUnknown(in.stdin, t.language, text)
		return
	}
	r.unknownProgram(in)
}

func isVersion(item string) bool {
	switch item {
	case "--version", "-V", "-v", "-version", "--help":
		return true
	}
	return false
}

// codeOrUnknown judges inline code.
func (r *run) codeOrUnknown(code string, lang language, text string) {
	if code == "" {
		r.report(dependency.Answer{Evidence: text})
		return
	}
	r.code(code, lang, text)
}

// interpreterFile judges a program in a file: one that the tables know by its
// name, such as manage.py, or an unknown one.
func (r *run) interpreterFile(t *runtime, in invocation, words []word) {
	name := programName(words[0].val)
	if t.jar {
		name = strings.ToLower(className(words[0].val))
	}
	if t.command != "" && name == t.command {
		r.slow(t.heavy, t.heavy)
		if len(words) > 1 {
			r.code(words[1].val, t.language, written(in.words, nil))
		}
		return
	}
	r.slow(t.heavy, t.heavy)
	if c := r.clientOf(name); c != nil {
		r.client(c, in.with(words), name)
		return
	}
	if w := r.wrappers[name]; w != nil && !t.jar {
		r.unwrap(w, in.with(words))
		return
	}
	in.shown = in.words
	r.unknownProgram(in.with(words))
}

// module judges "python -m NAME".
func (r *run) module(in invocation, words []word) {
	if len(words) == 0 {
		return
	}
	name, _, _ := strings.Cut(strings.ToLower(words[0].val), ".")
	if c := r.clientOf(name); c != nil {
		r.client(c, in.with(words), name)
		return
	}
	switch name {
	case "json", "pip", "platform", "site", "sysconfig":
		r.report(dependency.Answer{Scope: dependency.Process, Asks: asksLocal, Evidence: written(in.words, nil)})
		return
	}
	in.shown = in.words
	r.unknownProgram(in.with(words))
}

// className returns the last part of a Java class.
func className(class string) string {
	class = strings.TrimSuffix(baseName(class), ".jar")
	return class[strings.LastIndexByte(class, '.')+1:]
}
