package command

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"unicode/utf16"

	"github.com/probity-dev/probity/validate/dependency"
)

// cmd judges cmd.exe with its arguments: "cmd /c curl http://db || exit 1".
func (r *run) cmd(in invocation) {
	r.shells++
	defer func() { r.shells-- }()
	words := in.args()
	for len(words) > 0 && strings.HasPrefix(words[0].val, "/") {
		option := strings.ToLower(words[0].val)
		words = words[1:]
		if option == "/c" || option == "/k" || option == "/r" {
			break
		}
	}
	if len(words) == 0 {
		r.report(dependency.Answer{Evidence: written(in.words, nil)})
		return
	}
	if len(words) == 1 && strings.ContainsAny(words[0].val, " &|%") || hasOperator(words) {
		line := joinValues(words)
		if !r.take(len(line)) {
			return
		}
		for _, command := range splitLine(r.percents(line), cmdQuotes) {
			r.cmdCommand(command)
		}
		return
	}
	for i := range words {
		words[i].val = r.percents(words[i].val)
	}
	r.cmdCommand(words)
}

func hasOperator(words []word) bool {
	for _, w := range words {
		switch w.val {
		case "&", "&&", "||", "|":
			return true
		}
	}
	return false
}

func joinValues(words []word) string {
	values := make([]string, len(words))
	for i, w := range words {
		values[i] = w.val
	}
	return strings.Join(values, " ")
}

// cmdCommand judges one command of cmd.exe.
func (r *run) cmdCommand(words []word) {
	if len(words) == 0 {
		return
	}
	words[0].val = strings.TrimLeft(words[0].val, "@(")
	switch strings.ToLower(words[0].val) {
	case "if", "else", "not", "call", "start", "do":
		r.cmdCommand(words[1:])
	case "exist", "errorlevel", "defined", "rem", "exit", "echo", "set", "", "dir", "findstr", "find", "type", "ver", "timeout":
		// These ask files, or nothing.
	default:
		r.program(invocation{words: words, reads: true})
	}
}

// percents replaces %NAME%.
func (r *run) percents(text string) string {
	var b strings.Builder
	for n := 0; n < 4*maxParts; n++ {
		before, rest, ok := strings.Cut(text, "%")
		name, after, closed := strings.Cut(rest, "%")
		if !ok || !closed || !isVariableName(name) {
			break
		}
		b.WriteString(before)
		b.WriteString(r.windowsVariable(name, "%"+name+"%"))
		text = after
	}
	b.WriteString(text)
	return bounded(b.String())
}

// windowsVariable returns the value of a variable of the environment.
func (r *run) windowsVariable(name, text string) string {
	if value, ok := r.variable(name); ok {
		return value
	}
	if strings.EqualFold(name, "computername") {
		return r.selfValue(text)
	}
	return r.unset(name)
}

// powershell judges PowerShell with its arguments.
func (r *run) powershell(in invocation) {
	r.slow("PowerShell", "PowerShell")
	r.shells++
	defer func() { r.shells-- }()
	words := in.args()
	for len(words) > 0 {
		option := strings.ToLower(words[0].val)
		switch {
		case option != "" && option[0] != '-' && option[0] != '/':
			r.powerScript(joinValues(words), in)
			return
		case isPrefixOption(option, "-encodedcommand", 2) || option == "-ec":
			if len(words) > 1 {
				r.powerScript(decodeCommand(words[1].val), in)
			}
			return
		case isPrefixOption(option, "-command", 2):
			r.powerScript(joinValues(words[1:]), in)
			return
		case isPrefixOption(option, "-file", 2):
			if len(words) > 1 {
				r.unknownProgram(in.with(words[1:]))
			}
			return
		case takesValue("-executionpolicy -ep -ex -exec -version -windowstyle -w -inputformat -outputformat -configurationname", option):
			words = words[min(2, len(words)):]
		default:
			words = words[1:]
		}
	}
	r.report(dependency.Answer{Evidence: written(in.words, nil)})
}

// isPrefixOption tells whether an option is an abbreviation, as PowerShell
// accepts them.
func isPrefixOption(option, full string, least int) bool {
	return len(option) >= least && strings.HasPrefix(full, option)
}

// decodeCommand reads the value of -EncodedCommand: UTF-16 in base64.
func decodeCommand(encoded string) string {
	if len(encoded) > maxScript {
		return ""
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return ""
	}
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(raw[2*i:])
	}
	return plain(string(utf16.Decode(units)))
}

// powerScript judges a script of PowerShell. Only what it asks for is read:
// the commands at the start of each statement, wherever it stands.
func (r *run) powerScript(script string, in invocation) {
	if script == "" || !r.take(len(script)) {
		r.report(dependency.Answer{Evidence: written(in.words, nil)})
		return
	}
	text := evidence(r.render(script))
	before := r.commands
	var b strings.Builder
	for i := 0; i < len(script); i++ {
		switch c := script[i]; {
		case c == '#':
			for i < len(script) && script[i] != '\n' {
				i++
			}
			b.WriteByte(';')
		case strings.IndexByte("{}();\n", c) >= 0:
			b.WriteByte(';')
		default:
			b.WriteByte(c)
		}
	}
	// Python has comments as PowerShell has, and the same words are looked for.
	r.forgiving(catchesAll(lex(script, python)), func() {
		for _, words := range splitLine(b.String(), powerQuotes) {
			r.powerCommand(words)
		}
		r.powerObjects(script, text)
	})
	if r.commands == before {
		r.report(dependency.Answer{Scope: dependency.Process, Asks: asksProcess, Evidence: text})
	}
}

// powerCommand judges one command of PowerShell.
func (r *run) powerCommand(words []word) {
	for i := range words {
		words[i].val = r.powerVariables(words[i].val)
	}
	for len(words) > 0 {
		first := strings.ToLower(words[0].val)
		switch {
		case first == "if", first == "else", first == "elseif", first == "try", first == "catch", first == "while",
			first == "-not", first == "!", first == "return", first == "throw", first == "=", first == "foreach", first == ".":
			words = words[1:]
			continue
		case strings.HasPrefix(first, "!"):
			words[0].val = words[0].val[1:]
			continue
		case strings.HasPrefix(words[0].raw, "$"):
			if len(words) < 3 || words[1].val != "=" {
				return // an expression
			}
			if len(words) == 3 && r.isPowerValue(words[2].raw) {
				r.set(powerName(words[0].raw), words[2].val)
				return
			}
			words = words[2:]
			continue
		case first == "exit", first == "write-host", first == "write-output", first == "out-null", first == "sleep",
			first == "start-sleep", strings.HasPrefix(first, "["), strings.HasPrefix(first, "-"), strings.HasPrefix(first, "."):
			return
		}
		break
	}
	if len(words) > 0 {
		r.program(invocation{words: words, reads: true})
	}
}

// isPowerValue tells whether a word is a value and no command: "$env:DB_HOST", "db".
func (r *run) isPowerValue(raw string) bool {
	name := programName(raw)
	return !strings.Contains(raw, "-") && !strings.Contains(name, ".") && r.clientOf(name) == nil && r.local[name].asks == "" || strings.HasPrefix(raw, "$")
}

// powerName is the name under which a variable of PowerShell is kept: none of the
// environment has such a one.
func powerName(raw string) string { return "$" + strings.ToLower(strings.TrimPrefix(raw, "$")) }

// powerVariables replaces $env:NAME, and a word that is a variable of the script.
func (r *run) powerVariables(text string) string {
	if value, ok := r.vars[powerName(text)]; ok && strings.HasPrefix(text, "$") {
		return value
	}
	i := strings.Index(lowered(text), "$env:")
	if i < 0 {
		return text
	}
	end := i + 5
	for end < len(text) && isWordByte(text[end]) {
		end++
	}
	name := text[i+5 : end]
	if !isVariableName(name) {
		return text
	}
	return bounded(text[:i] + r.windowsVariable(name, text[i:end]) + text[end:])
}

// powerObjects judges .NET classes that connect:
// New-Object Net.Sockets.TcpClient("db", 5432).
func (r *run) powerObjects(script, text string) {
	lower := lowered(script)
	r.powerDatabase(script, lower, text)
	for _, class := range [...]string{
		"tcpclient", ".connect", "webrequest]::create", "downloadstring", "gethostaddresses", "gethostentry",
		"downloadfile", "downloaddata", "openread", "getasync", "getstringasync", "getbytearrayasync", "postasync",
	} {
		for at := 0; ; {
			i := strings.Index(lower[at:], class)
			if i < 0 {
				break
			}
			at += i + len(class)
			if host, ok := firstQuoted(script[at:]); ok && r.spend() {
				r.powerHost(r.powerVariables(host), text)
			}
		}
	}
}

// powerDatabase judges the connection strings of ADO.NET:
// SqlConnection("Server=tcp:sql01,1433;Database=orders").
func (r *run) powerDatabase(script, lower, text string) {
	if !strings.Contains(lower, "sqlconnection") && !strings.Contains(lower, "oledbconnection") && !strings.Contains(lower, "odbcconnection") {
		return
	}
	for _, key := range [...]string{"server", "data source", "host", "address"} {
		for at := 0; ; {
			i := strings.Index(lower[at:], key)
			if i < 0 {
				break
			}
			at += i + len(key)
			value, ok := strings.CutPrefix(strings.TrimLeft(script[at:], " "), "=")
			if !ok || !startsName(lower, at-len(key)) {
				continue
			}
			if end := strings.IndexAny(value, ";'\""); end >= 0 {
				value = value[:end]
			}
			for _, t := range sqlServerAddress(r.powerVariables(strings.TrimSpace(value))) {
				if r.spend() {
					r.port(t.host, text)
				}
			}
		}
	}
}

// startsName tells whether a key of a connection string starts at i.
func startsName(text string, i int) bool {
	return i > 0 && strings.IndexByte(";'\"( ", text[i-1]) >= 0
}

func (r *run) powerHost(host, text string) {
	for _, t := range addresses(host) {
		if isWebScheme(t.scheme) && t.scheme != "" {
			r.web(t, nil, text, false)
			continue
		}
		r.port(t.host, text)
	}
}

// firstQuoted returns the quoted text right behind an opening bracket.
func firstQuoted(s string) (string, bool) {
	s = strings.TrimLeft(s, " (")
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return "", false
	}
	text, _, ok := strings.Cut(s[1:], s[:1])
	return text, ok
}
