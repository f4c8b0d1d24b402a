package workload

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"
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
		line = 1 + bytes.Count(text[:len(text)-len(bytes.TrimLeft(text, " \t\r\n"))], []byte("\n"))
	}
	if tab := tabLine(text, line); tab > 0 && strings.Contains(message, "cannot start any token") {
		return &lineError{tab, errors.New("is not YAML: a tab indents the line; YAML wants spaces")}
	}
	return &lineError{line, errors.New("is not YAML: " + message)}
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
