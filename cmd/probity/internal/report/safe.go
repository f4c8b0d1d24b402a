package report

import (
	"strings"

	"github.com/probity-dev/probity/escape"
)

// Safe is escape.Text.
func Safe(s string) string { return escape.Text(s) }

// FileName is Safe for what may stand at the beginning of a line. Pipelines take
// lines that begin with :: or ##[ for commands, and whoever proposes a change may
// call a file so.
func FileName(name string) string {
	if strings.HasPrefix(name, "::") || strings.HasPrefix(name, "##") {
		name = "./" + name
	}
	return Safe(name)
}
