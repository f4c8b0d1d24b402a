package markdown

import (
	"regexp"
	"strings"
)

// Command is a command of a console block and what it prints.
type Command struct {
	// Command is what stands behind "$ ".
	Command string
	// Output is the lines up to the next command.
	Output string
}

// Commands returns the commands of a block whose language is console; none of
// any other block.
func (b Block) Commands() []Command {
	if b.Language != "console" {
		return nil
	}
	var commands []Command
	for line := range strings.Lines(b.Text) {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			commands = append(commands, Command{Command: strings.TrimSpace(command)})
		} else if n := len(commands); n > 0 {
			commands[n-1].Output += line
		}
	}
	return commands
}

var fileName = regexp.MustCompile(`^# ([\w./-]+\.ya?ml)\n`)

// File returns the name of the file that a yaml block is, or nothing: its first
// line is then a comment with nothing but the name.
func (b Block) File() string {
	if m := fileName.FindStringSubmatch(b.Text); m != nil && b.Language == "yaml" {
		return m[1]
	}
	return ""
}

// Console returns the text of a console block with these commands.
func Console(commands []Command) string {
	var text strings.Builder
	for _, c := range commands {
		text.WriteString("$ " + c.Command + "\n" + c.Output)
	}
	return text.String()
}

// outputWidth is how much of a line of output a page shows without scrolling.
const outputWidth = 96

// Wrap breaks long lines of a command's output at blanks, as a terminal would.
// Indented lines go on with their indent; columns of a table stay in one line.
func Wrap(output string) string {
	var out strings.Builder
	for line := range strings.Lines(output) {
		for len(line) > outputWidth && !strings.Contains(strings.TrimLeft(line, " "), "  ") {
			indent := len(line) - len(strings.TrimLeft(line, " "))
			at := strings.LastIndexByte(line[:outputWidth], ' ')
			if at <= indent {
				break // one long word
			}
			out.WriteString(line[:at] + "\n")
			line = line[:indent] + line[at+1:]
		}
		out.WriteString(line)
	}
	return out.String()
}

// Rewrite returns a page's text with other text in some of its blocks, which are
// given by their line.
func Rewrite(page string, blocks map[int]string) string {
	var out strings.Builder
	next := 0 // the first byte that is not written yet
	for _, b := range Parse(page).Blocks {
		text, changed := blocks[b.Line]
		if !changed {
			continue
		}
		start := lineStart(page, b.Line+1)
		out.WriteString(page[next:start] + text)
		next = start + len(b.Text)
	}
	return out.String() + page[next:]
}

// lineStart returns where a line starts, counted from 1.
func lineStart(text string, line int) int {
	at := 0
	for range line - 1 {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	return at
}
