package secret

import (
	"strings"
	"unicode"
)

// Code is Hide for a line of a program, in which only what stands in quotes is said to
// somebody: `redis.Redis(host='queue', password='***')`.
func Code(line string) string { return Userinfo(quoted(line, maxDepth)) }

// maxDepth is how many quotes within quotes are looked into: a shell's around JSON.
const maxDepth = 2

const quotes = "\"'`"

// maxName is how much before a value is looked at for its name: without a bound, a text
// of nothing but quotes and brackets would be read from its start for each of them.
const maxName = 128

// quoted hides within the quotes of a text, and all of what is in them where a name
// before says that it is secret.
func quoted(text string, depth int) string {
	if depth == 0 || !strings.ContainsAny(text, quotes) {
		return text
	}
	var b strings.Builder
	from, listed := 0, false
	for {
		i := strings.IndexAny(text[from:], quotes)
		if i < 0 {
			break
		}
		start := from + i + 1
		end := start + closing(text[start:], text[start-1])
		between, value := text[from:start-1], text[start:end]
		names, opens := bound(text[max(0, start-1-maxName) : start-1])
		// What follows in the same brackets is secret, too: auth=('user', 'password').
		listed = names && opens || listed && strings.Trim(between, ", \t") == ""
		switch {
		case opens && strings.Contains(value, "://"): // session("http://inventory") asks it
			value = item(value, depth)
		case value != "" && (names || listed):
			value = hidden(value)
		default:
			value = item(value, depth)
		}
		b.WriteString(text[from:start])
		b.WriteString(value)
		from = end
		if end < len(text) {
			b.WriteByte(text[end])
			from++
		}
	}
	b.WriteString(text[from:])
	return b.String()
}

func item(text string, depth int) string { return named(Userinfo(quoted(text, depth-1))) }

// closing is where a quote ends that has begun, or the end of the text.
func closing(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return i
		}
	}
	return len(text)
}

// bound reports whether a name of a secret stands before a value, and whether an open
// bracket stands between them.
func bound(before string) (names, opens bool) {
	// Python has letters before a quote: b'...'.
	if bare := strings.TrimRight(before, "bfruBFRU"); len(before)-len(bare) <= 2 && strings.TrimRight(bare, "=:>([{, ") != bare {
		before = bare
	}
	name := strings.TrimRight(before, "=:>([{\"'] \t")
	marks := before[len(name):]
	if !strings.ContainsAny(marks, "=:([{") {
		return false, false
	}
	name = name[strings.LastIndexFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})+1:]
	return IsName(name), strings.ContainsAny(marks, "([{")
}
