package command

import "strings"

// output returns what a local program writes, as far as it can be a host.
func (r *run) output(name string, in invocation) string {
	switch name {
	case "hostname":
		return r.selfValue(r.wordsText(in))
	case "uname":
		for _, w := range in.args() {
			if w.val == "-n" || w.val == "--nodename" {
				return r.selfValue(r.wordsText(in))
			}
		}
	case "ip", "ifconfig":
		return r.selfValue(r.wordsText(in))
	case "cat", "awk", "gawk", "head", "tail", "grep", "egrep", "sed", "cut", "tr", "sort", "tee", "uniq", "rev":
		return r.filtered(name, in)
	}
	return r.opaque(r.wordsText(in))
}

func (r *run) wordsText(in invocation) string { return "$(" + written(in.words, nil) + ")" }

// filtered returns what a filter makes of its input. What is known of the input
// by its name holds for a part of it, too.
func (r *run) filtered(name string, in invocation) string {
	for _, w := range in.args() {
		if w.val == "/etc/hostname" || w.val == "/etc/hosts" || w.val == "/proc/sys/kernel/hostname" {
			return r.selfValue(r.wordsText(in))
		}
	}
	if in.stdin == "" {
		return r.opaque(r.wordsText(in))
	}
	if s, ok := r.onlySymbol(in.stdin); ok && s.kind != symData {
		return in.stdin
	}
	switch {
	case name == "cat" || name == "tee":
		return in.stdin
	case name == "tr" && len(in.words) == 3 && len(in.words[1].val) == 1:
		if with := strings.ReplaceAll(in.words[2].val, `\n`, "\n"); with != "" {
			return strings.ReplaceAll(in.stdin, in.words[1].val, with[:1])
		}
	case name == "cut":
		if field, ok := cutField(in); ok {
			return field
		}
	}
	of := in.stdin
	if hasSymbol(of) {
		of = ""
	}
	return r.newSymbol(symbol{kind: symData, text: r.wordsText(in), of: of})
}

// cutField returns what "cut -d: -f1" leaves of one line.
func cutField(in invocation) (string, bool) {
	if strings.Contains(in.stdin, "\n") {
		return "", false
	}
	delimiter, field := "", ""
	for i := 1; i < len(in.words); i++ {
		option, value, glued := cutOption(in.words[i].val)
		if !glued && i+1 < len(in.words) {
			i++
			value = in.words[i].val
		}
		switch option {
		case "-d", "--delimiter":
			delimiter = value
		case "-f", "--fields":
			field = value
		}
	}
	if len(delimiter) != 1 || len(field) != 1 || field[0] < '1' || field[0] > '9' {
		return "", false
	}
	parts := strings.Split(in.stdin, delimiter)
	n := int(field[0] - '1')
	switch {
	case len(parts) == 1:
		return in.stdin, true // a line without the delimiter stays whole
	case n < len(parts):
		return parts[n], true
	}
	return "", false
}
