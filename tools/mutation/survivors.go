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
	Key key
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
		if s.Key.File == "" {
			continue
		}
		if seen[s.Key] {
			return nil, fmt.Errorf("%s: %s is listed twice:\n%s", name, s.Key.place(), s.Key.diff())
		}
		seen[s.Key] = true
		all = append(all, s)
	}
	return all, nil
}

func parseSurvivor(block string) (survivor, error) {
	s := survivor{Key: key{Nth: 1}}
	for line := range strings.Lines(block) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case s.Key.File == "":
			fields := strings.Fields(line)
			if len(fields) == 3 {
				n, err := strconv.Atoi(strings.TrimPrefix(fields[2], "#"))
				if err != nil {
					return s, fmt.Errorf("%q must be a file, a function and maybe #2", line)
				}
				s.Key.Nth, fields = n, fields[:2]
			}
			if len(fields) != 2 {
				return s, fmt.Errorf("%q must be a file, a function and maybe #2", line)
			}
			s.Key.File, s.Key.In = fields[0], fields[1]
		case strings.HasPrefix(line, "- "):
			s.Key.Before = line[2:]
		case strings.HasPrefix(line, "+ "):
			s.Key.After = line[2:]
		case strings.HasPrefix(line, "why: "):
			s.Why = line[len("why: "):]
		case s.Why != "":
			s.Why += " " + strings.TrimSpace(line)
		default:
			return s, fmt.Errorf("%q must start with -, + or why: and a blank", line)
		}
	}
	if s.Key.File != "" && (s.Key.Before == "" || s.Why == "") {
		return s, fmt.Errorf("%s needs the line that is broken and the reason why that cannot be seen", s.Key.place())
	}
	return s, nil
}
