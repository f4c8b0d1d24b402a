package command

import (
	"encoding/json"
	"strings"

	"github.com/probity-dev/probity/validate/dependency/endpoint"
)

// call is what the command line of a client says.
type call struct {
	targets []target
	given   bool // an address was given, even if nothing could be read of it
	port    string
	db      string
	socket  bool
	proxy   string
	maps    []string // curl's --resolve and --connect-to
	headers []endpoint.Header
	names   []string // to be resolved
	servers []string // to be asked for names
	service string   // gRPC health service
	node    string
	code    []string
	options []string // switches and options, as they are written
	text    []byte   // arguments and queries, lower case: what verbs are found in
	secrets uint64   // the words that hide a password
	doubt   bool     // what was taken for a URL may be something else
}

// parseCall reads the command line of a client.
func (r *run) parseCall(c *compiled, in invocation) *call {
	k := &call{}
	next, ended := 0, false
	for i := 1; i < len(in.words); i++ {
		item := in.words[i].val
		switch {
		case item == "--" && !ended:
			ended = true
		case !ended && len(item) > 1 && item[0] == '-':
			i += c.option(k, in.words, i)
		default:
			kind := c.args[min(next, len(c.args)-1)]
			if kind == roleStop {
				return k
			}
			if k.argument(c, kind, item) {
				next++
			}
			if c.Style == Leading {
				ended = true
			}
		}
	}
	return k
}

// option reads the option at words[i] and returns how many further words it
// takes.
func (c *compiled) option(k *call, words []word, i int) int {
	item := words[i].val
	name, value, glued := strings.Cut(item, "=")
	if c.Style == LongDash || c.Style == Cmdlet {
		name = strings.ToLower(strings.TrimLeft(name, "-"))
	} else if !strings.HasPrefix(item, "--") {
		return c.shortOptions(k, words, i)
	}
	k.options = append(k.options, item)
	kind, ok := c.flags[name]
	if !ok {
		return 0
	}
	taken := 0
	switch {
	case glued:
	case kind == roleGlued:
		return 0
	case i+1 < len(words):
		value, taken = words[i+1].val, 1
	default:
		return 0
	}
	k.set(kind, value, i+taken)
	return taken
}

// shortOptions reads "-h db", "-hdb" and "-qh db".
func (c *compiled) shortOptions(k *call, words []word, i int) int {
	item := words[i].val
	if kind, ok := c.flags[item]; ok && len(item) > 2 {
		// An option with one dash and more letters, such as mysql's -pPASS
		// is not: it is listed as it is written.
		return c.longShort(k, kind, words, i)
	}
	for j := 1; j < len(item); j++ {
		option := "-" + item[j:j+1]
		k.options = append(k.options, option)
		kind, ok := c.flags[option]
		if !ok {
			continue
		}
		rest := item[j+1:]
		switch {
		case kind == roleGlued:
			k.secrets |= bit(i)
			return 0
		case rest != "":
			k.set(kind, strings.TrimPrefix(rest, "="), i)
			return 0
		case i+1 < len(words):
			k.set(kind, words[i+1].val, i+1)
			return 1
		}
	}
	return 0
}

func (c *compiled) longShort(k *call, kind role, words []word, i int) int {
	k.options = append(k.options, words[i].val)
	if i+1 >= len(words) {
		return 0
	}
	k.set(kind, words[i+1].val, i+1)
	return 1
}

func bit(i int) uint64 {
	if i > 63 {
		return 0
	}
	return 1 << i
}

func (k *call) isSecret(i int) bool { return k.secrets&bit(i) != 0 }

// argument notes an argument that is no option, and tells whether it takes the
// place of its role.
func (k *call) argument(c *compiled, kind role, item string) bool {
	switch {
	case c.Protocol == Name && strings.HasPrefix(item, "@"):
		k.servers = append(k.servers, item[1:])
		return false
	case c.Protocol == Name && strings.HasPrefix(item, "+"):
		return false // dig +short
	case c.Protocol == HTTP && kind == roleURL && (isMethod(item) || isPort(item)):
		return false // http GET URL; or the value of an option that is not listed
	case c.Protocol == HTTP && kind == roleURL && isPlainWord(item) && !isLoopbackName(strings.ToLower(item)):
		k.doubt = true
	}
	k.set(kind, item, 64)
	return true
}

func isMethod(s string) bool {
	switch s {
	case "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH":
		return true
	}
	return false
}

// set notes a value by its role; i is the word that holds it.
func (k *call) set(kind role, value string, i int) {
	switch kind {
	case roleHost, roleURL:
		if value == "" {
			return // the default
		}
		k.given = true
		k.targets = append(k.targets, addresses(value)...)
	case roleEndpoint:
		if list, ok := protocolAddress(value); ok {
			k.given = true
			k.targets = append(k.targets, list...)
		}
	case roleDB:
		k.database(value)
	case rolePort:
		k.port = value
	case roleSocket:
		k.given, k.socket = true, true
	case roleSecret, roleGlued:
		k.secrets |= bit(i)
	case roleQuery, roleWord:
		k.say(value)
	case roleHeader:
		name, content, _ := strings.Cut(value, ":")
		k.headers = append(k.headers, endpoint.Header{Name: strings.TrimSpace(name), Value: strings.TrimSpace(content)})
	case roleProxy:
		k.proxy = value
	case roleMap:
		k.maps = append(k.maps, value)
	case roleName:
		k.names = append(k.names, value)
	case roleServer:
		k.servers = append(k.servers, value)
	case roleService:
		k.service = serviceName(value)
	case roleNode:
		k.node = value
	case roleCode:
		k.code = append(k.code, value)
	case roleSQLServer:
		k.given = true
		k.targets = append(k.targets, sqlServerAddress(value)...)
	case roleOracle:
		k.oracle(value)
	case roleMongo:
		if strings.ContainsAny(value, ":/.") || hasSymbol(value) {
			k.database(strings.TrimSuffix(value, "/"))
			if !k.given && !hasSymbol(value) {
				k.given, k.targets = true, append(k.targets, hostPort(value))
			}
		}
	}
}

// oracle notes a connect string of SQL*Plus. A name behind the @ without a host
// is an alias of tnsnames.ora, which the manifest does not show.
func (k *call) oracle(value string) {
	at := strings.LastIndexByte(value, '@')
	if at < 0 {
		return
	}
	k.given = true
	if strings.ContainsAny(value[at:], ":/") || hasSymbol(value[at:]) {
		k.targets = append(k.targets, oracleAddress(value[at:])...)
	}
}

// serviceName returns the service that a health check names, also in grpcurl's
// JSON: {"service": "db"}.
func serviceName(value string) string {
	if !strings.HasPrefix(strings.TrimSpace(value), "{") {
		return strings.TrimPrefix(value, "@")
	}
	var check struct{ Service string }
	_ = json.Unmarshal([]byte(value), &check) // what cannot be read names none
	return check.Service
}

// database notes the name of a database, which may be a whole conninfo or URL.
func (k *call) database(value string) {
	if _, _, isURL := cutScheme(value); isURL || strings.IndexByte(value, '=') > 0 {
		list := addresses(value)
		k.given = k.given || len(list) > 0
		k.targets = append(k.targets, list...)
		return
	}
	if hasSymbol(value) && k.db == "" && !k.given {
		// $DATABASE_URL as the name of the database is a conninfo.
		k.targets = append(k.targets, target{host: value, scheme: conninfoScheme})
	}
	k.db = value
}

// conninfoScheme marks what may be a conninfo, or only a database's name.
const conninfoScheme = "conninfo?"

// maxText bounds the text that verbs are looked for in.
const maxText = 8 << 10

// say adds words that verbs are looked for in.
func (k *call) say(text string) {
	text = withoutSymbols(text)
	if len(k.text)+len(text) > maxText {
		return
	}
	space := len(k.text) > 0
	for i := range len(text) {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			space = len(k.text) > 0
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		}
		if space {
			k.text = append(k.text, ' ')
			space = false
		}
		k.text = append(k.text, c)
	}
}

// says tells whether the words of a phrase follow each other in the text. A
// phrase that starts with a dash is an option.
func (k *call) says(phrase []string) bool {
	if strings.HasPrefix(phrase[0], "-") {
		return k.hasOption(phrase[0]) && (len(phrase) == 1 || k.says(phrase[1:]))
	}
	text := string(k.text)
	first := strings.TrimSuffix(phrase[0], "*")
	for from := 0; from < len(text); {
		i := strings.Index(text[from:], first)
		if i < 0 {
			return false
		}
		from += i
		if startsWord(text, from) && followsPhrase(text[from:], phrase) {
			return true
		}
		from++
	}
	return false
}

func (k *call) hasOption(option string) bool {
	for _, o := range k.options {
		name, _, _ := strings.Cut(o, "=")
		if strings.TrimLeft(name, "-") == strings.TrimLeft(option, "-") {
			return true
		}
	}
	return false
}

// followsPhrase tells whether a text starts with the words of a phrase.
func followsPhrase(text string, phrase []string) bool {
	for i, w := range phrase {
		if i > 0 {
			if text = strings.TrimPrefix(text, " "); text == "" {
				return false
			}
		}
		prefix, open := strings.CutSuffix(w, "*")
		if !strings.HasPrefix(text, prefix) {
			return false
		}
		text = text[len(prefix):]
		if open {
			text = strings.TrimLeftFunc(text, func(c rune) bool { return c < 128 && isWordByte(byte(c)) }) //nolint:gosec // c is ASCII
			continue
		}
		if text != "" && isWordByte(text[0]) && isWordByte(prefix[len(prefix)-1]) {
			return false
		}
	}
	return true
}

func startsWord(text string, i int) bool {
	return i == 0 || !isWordByte(text[i-1]) || !isWordByte(text[i])
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_' || 'A' <= c && c <= 'Z'
}
