package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// survivor is an entry of the list of breakages that no test can catch, since
// they change nothing that can be seen.
type survivor struct {
	key
	Why string
}

// readSurvivors reads the list: blocks with an empty line between them, lines
// with # are comments. A file that is not there is an empty list.
//
//	validate/rule_x.go checkX #2
//	- if have >= least {
//	+ if have > least {
//	why: both give ... since ...
func readSurvivors(name string) ([]survivor, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []survivor
	seen := map[key]bool{}
	for block := range strings.SplitSeq(string(text), "\n\n") {
		s, err := parseSurvivor(block)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if s.File == "" {
			continue
		}
		if seen[s.key] {
			return nil, fmt.Errorf("%s: %s is listed twice:\n%s", name, s.place(), s.diff())
		}
		seen[s.key] = true
		all = append(all, s)
	}
	return all, nil
}

func parseSurvivor(block string) (survivor, error) {
	s := survivor{key: key{Nth: 1}}
	for line := range strings.Lines(block) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case s.File == "":
			fields := strings.Fields(line)
			if len(fields) == 3 {
				n, err := strconv.Atoi(strings.TrimPrefix(fields[2], "#"))
				if err != nil {
					return s, fmt.Errorf("%q must be a file, a function and maybe #2", line)
				}
				s.Nth, fields = n, fields[:2]
			}
			if len(fields) != 2 {
				return s, fmt.Errorf("%q must be a file, a function and maybe #2", line)
			}
			s.File, s.In = fields[0], fields[1]
		case strings.HasPrefix(line, "- "):
			s.Before = line[2:]
		case strings.HasPrefix(line, "+ "):
			s.After = line[2:]
		case strings.HasPrefix(line, "why: "):
			s.Why = line[len("why: "):]
		case s.Why != "":
			s.Why += " " + strings.TrimSpace(line)
		default:
			return s, fmt.Errorf("%q must start with -, + or why:", line)
		}
	}
	if s.File != "" && (s.Before == "" || s.Why == "") {
		return s, fmt.Errorf("%s needs the line that is broken and the reason why that cannot be seen", s.place())
	}
	return s, nil
}
