package workload

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// yamlPosition is how the YAML parser begins its messages.
var yamlPosition = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

// yamlError says what the parser found wrong, with its line in the text.
func yamlError(text []byte, err error) error {
	message := err.Error()
	found := yamlPosition.FindStringSubmatch(message)
	message = message[len(found[0]):]
	line, _ := strconv.Atoi(found[1]) // 0 when the parser gave none
	if line == 0 {
		line = unplacedLine(text, message)
	}
	if line == 0 {
		line = 1 + bytes.Count(text[:len(text)-len(bytes.TrimLeft(text, " \t\r\n"))], []byte("\n"))
	}
	if tab := tabLine(text, line); tab > 0 && strings.Contains(message, "cannot start any token") {
		return &lineError{tab, errors.New("is not YAML: a tab indents the line; YAML wants spaces")}
	}
	return &lineError{line, errors.New("is not YAML: " + message)}
}

// unplacedLine finds the line of what the parser names without one; 0 when it is
// not to be seen. The parser counts no lines while it reads bytes, and looks for
// anchors when all lines have gone by.
func unplacedLine(text []byte, message string) int {
	at := -1
	switch {
	case strings.HasPrefix(message, "unknown anchor"):
		_, name, _ := strings.Cut(message, "'")
		name, _, _ = strings.Cut(name, "'")
		at = aliasOffset(text, name)
	case strings.Contains(message, "UTF-8"), strings.Contains(message, "Unicode"):
		at = brokenOffset(text)
	case strings.HasPrefix(message, "control characters"):
		at = bytes.IndexFunc(text, unreadable)
	}
	if at < 0 {
		return 0
	}
	return 1 + bytes.Count(text[:at], []byte("\n"))
}

// brokenOffset returns where the text stops being UTF-8, -1 for nowhere.
func brokenOffset(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// unreadable are the characters that YAML does not take (yaml.org/spec/1.2.2,
// section 5.1).
func unreadable(r rune) bool {
	switch r {
	case '\t', '\n', '\r', 0x85:
		return false
	default:
		return r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0xd800 && r < 0xe000 || r == 0xfffe || r == 0xffff
	}
}

// aliasOffset returns where the first alias of that name begins, -1 for none.
func aliasOffset(text []byte, name string) int {
	alias := []byte("*" + name)
	for from := 0; ; {
		i := bytes.Index(text[from:], alias)
		if i < 0 {
			return -1
		}
		at, end := from+i, from+i+len(alias)
		before := at == 0 || strings.IndexByte(" \t\n[{,", text[at-1]) >= 0
		if before && (end == len(text) || strings.IndexByte(" \t\r\n]},", text[end]) >= 0) {
			return at
		}
		from = end
	}
}

// tabLine returns the line from the given one on, at most two further, whose
// indentation holds a tab; 0 for none.
func tabLine(text []byte, line int) int {
	lines := bytes.SplitAfterN(text, []byte("\n"), line+3)
	for i := max(line-1, 0); i < min(line+2, len(lines)); i++ {
		indent := lines[i][:len(lines[i])-len(bytes.TrimLeft(lines[i], " \t"))]
		if bytes.IndexByte(indent, '\t') >= 0 {
			return i + 1
		}
	}
	return 0
}

// templateLine returns the line of the first template action in the text, from
// 1, or 0 when there is none.
func templateLine(text []byte) int {
	i := bytes.Index(text, []byte("{{"))
	if i < 0 || !bytes.Contains(text[i:], []byte("}}")) {
		return 0
	}
	return 1 + bytes.Count(text[:i], []byte("\n"))
}
