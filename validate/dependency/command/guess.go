package command

import (
	"strings"

	"github.com/probity-dev/probity/validate/dependency"
)

// guess judges a script that the parser cannot read, such as one for fish or a
// template that was never rendered: each line is taken for simple commands.
// Nothing that it finds is proven.
func (r *run) guess(text string) {
	if !r.take(len(text)) {
		return
	}
	r.doubtful++
	r.shells++
	r.report(dependency.Answer{Evidence: text})
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		for _, words := range splitLine(line, posixQuotes) {
			for i := range words {
				words[i].val = r.guessedVariables(words[i].val)
			}
			if words = withoutKeywords(words); len(words) > 0 {
				r.simple(invocation{words: words, reads: true})
			}
		}
	}
	r.doubtful--
	r.shells--
}

// withoutKeywords drops what stands in front of a command.
func withoutKeywords(words []word) []word {
	for len(words) > 0 {
		switch words[0].val {
		case "if", "then", "else", "elif", "while", "until", "do", "!", "{", "(", "and", "or", "not", "exec", "begin":
			words = words[1:]
		default:
			if name, _, ok := strings.Cut(words[0].val, "="); !ok || !isVariableName(name) {
				return words
			}
			words = words[1:]
		}
	}
	return nil
}

// guessedVariables replaces $NAME and ${NAME}.
func (r *run) guessedVariables(text string) string {
	if strings.IndexByte(text, '$') < 0 {
		return text
	}
	var b strings.Builder
	for n := 0; n < maxParts; n++ {
		i := strings.IndexByte(text, '$')
		if i < 0 {
			break
		}
		b.WriteString(text[:i])
		rest := strings.TrimPrefix(text[i+1:], "{")
		end := 0
		for end < len(rest) && isWordByte(rest[end]) {
			end++
		}
		name := rest[:end]
		switch value, ok := r.variable(name); {
		case name == "":
			b.WriteByte('$')
		case ok:
			b.WriteString(value)
		case isVariableName(name):
			b.WriteString(r.unset(name))
		default:
			b.WriteString(r.opaque("$" + name))
		}
		text = strings.TrimPrefix(rest[end:], "}")
	}
	b.WriteString(text)
	return bounded(b.String())
}

// quoting are the rules of a shell for quotes.
type quoting uint8

const (
	posixQuotes quoting = iota
	cmdQuotes
	powerQuotes
)

// opens tells whether a character opens a quoted text, and closes it.
func (q quoting) opens(c byte) bool { return c == '"' || c == '\'' && q != cmdQuotes }

// escape is the character that takes the meaning of the next one.
func (q quoting) escape() byte {
	return [...]byte{posixQuotes: '\\', cmdQuotes: '^', powerQuotes: '`'}[q]
}

// splitLine cuts a line into commands at ; & | and into words at blanks.
func splitLine(line string, q quoting) [][]word {
	var commands [][]word
	var words []word
	var b strings.Builder
	inWord := false
	var quote byte
	endWord := func() {
		if inWord && len(words) < maxWords {
			words = append(words, word{val: b.String(), raw: b.String()})
		}
		b.Reset()
		inWord = false
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == q.escape() && i+1 < len(line) && quote != '\'':
			i++
			b.WriteByte(line[i])
			inWord = true
		case quote != 0:
			if c == quote {
				quote = 0
				continue
			}
			b.WriteByte(c)
		case q.opens(c):
			quote, inWord = c, true
		case c == ' ' || c == '\t' || c == '\r':
			endWord()
		case c == ';' || c == '&' || c == '|' || c == '\n':
			endWord()
			if len(words) > 0 && len(commands) < maxCommands {
				commands = append(commands, words)
			}
			words = nil
		default:
			b.WriteByte(c)
			inWord = true
		}
	}
	endWord()
	if len(words) > 0 {
		commands = append(commands, words)
	}
	return commands
}
