package main

import (
	"fmt"
	"strings"
)

// Styles of a terminal (ECMA-48, SGR).
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[1;36m"
	reset  = "\x1b[0m"
)

func (s *story) chapter(title string) {
	s.chapters++
	s.print("\n"+cyan, fmt.Sprintf("%d. %s", s.chapters, title))
}

func (s *story) tell(text string) { s.print("", text) }

// print writes a line; newlines before the style stay where there is no colour.
func (s *story) print(style, line string) {
	blank := style[:len(style)-len(strings.TrimLeft(style, "\n"))]
	if !s.colour || style == "" {
		fmt.Fprintln(s.out, blank+line)
		return
	}
	fmt.Fprintln(s.out, style+line+reset)
}
