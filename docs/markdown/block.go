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
