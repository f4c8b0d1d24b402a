package command

import (
	"strconv"
	"strings"
)

// maxRuns bounds the command lines that one xargs is taken to start.
const maxRuns = 16

// xargsLine is how xargs makes command lines of what it reads.
type xargsLine struct {
	words []word
	// replace is the text that stands for an item; empty where items are put
	// behind the command.
	replace string
	// most is how many items one command line takes; 0 for all of them.
	most      int
	delimiter string
	file      bool // items come from a file
}

// xargs judges the commands that xargs starts, one for each line of its input or
// for some of its items (GNU findutils, xargs(1)).
func (r *run) xargs(in invocation) string {
	x := parseXargs(in.args())
	if len(x.words) == 0 {
		return "" // echo
	}
	if x.file {
		in.stdin = ""
	}
	stdin := in.stdin
	in.stdin = ""
	if stdin == "" {
		return r.simple(in.with(x.with(r.opaque(x.replace))))
	}
	out := ""
	for n, items := range x.items(stdin) {
		if n == maxRuns {
			break
		}
		out = r.simple(in.with(x.with(items)))
	}
	return out
}

func parseXargs(words []word) xargsLine {
	var x xargsLine
	for len(words) > 0 {
		item := words[0].val
		for len(item) > 2 && item[0] == '-' && strings.IndexByte("rtpxo0", item[1]) >= 0 {
			if item[1] == '0' {
				x.delimiter = "\x00"
			}
			item = "-" + item[2:] // -rI{} is -r -I{}
		}
		option, value, glued := cutOption(item)
		switch {
		case words[0].val == "--":
			x.words = words[1:]
			return x
		case option == "":
			x.words = words
			return x
		case !glued && len(words) > 1 && takesValue("-I -J -n --max-args -P --max-procs -L --max-lines -d --delimiter -E -s --max-chars -a --arg-file", option):
			value, words = words[1].val, words[1:]
		}
		words = words[1:]
		switch option {
		case "-I", "-i", "-J", "--replace":
			if x.replace = value; value == "" {
				x.replace = "{}"
			}
		case "-n", "--max-args", "-L", "--max-lines", "-l":
			x.most, _ = strconv.Atoi(value)
		case "-d", "--delimiter":
			x.delimiter = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "\x00").Replace(value)
		case "-0", "--null":
			x.delimiter = "\x00"
		case "-a", "--arg-file":
			x.file = true
		}
	}
	return x
}

// items cuts the input into what goes into one command line each.
func (x *xargsLine) items(stdin string) []string {
	var all []string
	switch {
	case x.delimiter != "":
		all = strings.Split(strings.TrimSuffix(strings.TrimSuffix(stdin, "\n"), x.delimiter), x.delimiter)
	case x.replace != "":
		for line := range strings.SplitSeq(stdin, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, line)
			}
		}
	default:
		all = strings.Fields(stdin)
	}
	if x.replace != "" || len(all) == 0 {
		return all
	}
	most := x.most
	if most <= 0 {
		most = len(all)
	}
	var lines []string
	for from := 0; from < len(all); from += most {
		lines = append(lines, strings.Join(all[from:min(from+most, len(all))], " "))
	}
	return lines
}

// with returns the command line for some items.
func (x *xargsLine) with(items string) []word {
	if x.replace == "" {
		return append(x.words[:len(x.words):len(x.words)], splitFields(items, items)...)
	}
	words := make([]word, len(x.words))
	for i, w := range x.words {
		words[i] = word{val: bounded(strings.ReplaceAll(w.val, x.replace, items)), raw: w.raw}
	}
	return words
}
