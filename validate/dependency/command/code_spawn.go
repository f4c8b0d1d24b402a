package command

import "strings"

// spawner is how a function of a language starts a program.
type spawner uint8

const (
	notSpawner spawner = iota
	// spawnsLine: the first argument is a command line for a shell.
	spawnsLine
	// spawnsWords: it is a program, and further ones are its arguments.
	spawnsWords
)

// spawnerOf recognises functions that start programs, by name.
func (c *reader) spawnerOf(i int) spawner {
	if c.is(i-1, "->") {
		return notSpawner // a method of PHP or Perl: $pdo->exec("SELECT 1")
	}
	name := c.tokens[i].text
	switch name {
	case "system", "popen", "shell_exec", "passthru", "getoutput", "getstatusoutput", "execSync", "proc_open",
		"capture2", "capture2e", "capture3":
		return spawnsLine
	case "check_output", "check_call", "Popen", "execFileSync", "execFile", "spawnSync", "spawn":
		return spawnsWords
	case "call", "run":
		if c.is(i-1, ".") && (c.is(i-2, "subprocess") || c.is(i-2, "sp")) {
			return spawnsWords
		}
	case "exec":
		// Of a pattern, or Python's own, it is another thing.
		if c.lang != python && (!c.is(i-1, ".") || c.lang == javascript && c.spawnsByModule(i)) {
			return spawnsLine
		}
	}
	return notSpawner
}

// spawnsByModule tells whether exec belongs to Node's child_process.
func (c *reader) spawnsByModule(i int) bool {
	for j := i - 1; j >= 0 && i-j < 6; j-- {
		if text := c.at(j).text; text == "child_process" || text == "node:child_process" || text == "cp" {
			return true
		}
	}
	return false
}

// spawn judges the program that a call starts, which begins at its bracket.
func (c *reader) spawn(open int, how spawner) {
	words, isList := c.spawnedWords(open + 1)
	if len(words) == 0 {
		c.unread = true
		return
	}
	c.found = true
	switch {
	case !isList && len(words) == 1:
		c.script(words[0].val, shellOptions{}, nil)
	case !isList && how == spawnsLine && strings.ContainsAny(words[0].val, " |;&"):
		// exec("a b", options)
		c.script(words[0].val, shellOptions{}, nil)
	default:
		c.program(invocation{words: words, shown: words})
	}
}

// spawnedWords returns the strings among the arguments of a call, and of a list
// in them.
func (c *reader) spawnedWords(i int) (words []word, isList bool) {
	depth := 0
	for n := 0; n < maxWords && i < len(c.tokens); n++ {
		switch {
		case c.is(i, "["):
			if len(words) == 0 || c.lang == javascript {
				isList = true
			}
			depth++
			i++
			continue
		case c.is(i, "]") && depth > 0:
			return words, isList
		case c.is(i, ",") || c.is(i, "(") || c.is(i, "*"): // *%w[pg_isready -h db]
			i++
			continue
		}
		value, next, ok := c.expression(i)
		switch {
		case isAssignment(c.at(i+1)) || c.is(i+1, ":"):
			return words, isList
		case !ok && depth > 0:
			value, next = c.opaque("..."), c.nextItem(i)
		case !ok:
			return words, isList
		}
		words = append(words, word{val: value, raw: c.render(value)})
		i = next
		if goesOn := c.is(i, ",") || c.is(i, "]") && depth > 0; !goesOn {
			break
		}
	}
	return words, isList
}

// nextItem returns the comma or the bracket behind an item of a list.
func (c *reader) nextItem(i int) int {
	depth := 0
	for ; i < len(c.tokens); i++ {
		if c.tokens[i].kind != tokMark {
			continue
		}
		switch c.tokens[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth == 0 {
				return i
			}
			depth--
		case ",":
			if depth == 0 {
				return i
			}
		}
	}
	return i
}
