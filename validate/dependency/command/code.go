package command

import (
	"strings"

	"github.com/probity-dev/probity/validate/dependency"
	"github.com/probity-dev/probity/validate/dependency/secret"
)

// reader judges inline code: the addresses in it, and the libraries that it
// calls.
type reader struct {
	*run
	code   string
	lang   language
	tokens []token
	values map[string]string // what the code's own names hold
	text   string            // the evidence, where no line of the code is
	found  bool              // something was reported
	// unread is set once the code asks somebody, or starts a program, that cannot
	// be read from it.
	unread bool
	// brackets counts the open ones of the expression that is read.
	brackets int
}

// code judges inline code.
func (r *run) code(code string, lang language, text string) {
	if s, ok := r.onlySymbol(code); ok {
		r.report(dependency.Answer{Evidence: s.text})
		return
	}
	if !r.take(len(code)) {
		return
	}
	c := &reader{run: r, code: code, lang: lang, text: text, values: map[string]string{}}
	c.tokens = lex(code, lang)
	r.forgiving(catchesAll(c.tokens), c.judge)
}

// judge reports what the code asks.
func (c *reader) judge() {
	for i := range c.tokens {
		c.token(i)
	}
	c.libraries()
	switch {
	case c.found:
	case c.unread:
		c.report(dependency.Answer{Evidence: c.text})
	default:
		c.report(dependency.Answer{Scope: dependency.Process, Asks: asksProcess, Evidence: c.text})
	}
}

// at returns a token, or an empty one beyond the end.
func (c *reader) at(i int) token {
	if i < 0 || i >= len(c.tokens) {
		return token{}
	}
	return c.tokens[i]
}

// is tells whether a token is this mark or name.
func (c *reader) is(i int, text string) bool {
	t := c.at(i)
	return t.kind != tokString && t.text == text && t.kind != tokEnd
}

// token judges what starts at a token.
func (c *reader) token(i int) {
	t := c.tokens[i]
	if c.is(i, "for") || c.is(i, "[") {
		c.loop(i)
	}
	switch {
	case t.shell:
		c.found = true
		c.script(c.interpolate(t), shellOptions{}, nil)
	case t.kind == tokString:
		c.address(i)
	case t.kind != tokName:
	case isAssignment(c.at(i+1)) && !c.is(i-1, "."):
		c.assignment(i)
		c.keyword(i)
	case c.is(i+1, "("):
		c.callee(i)
	case c.is(i+1, "->") && c.is(i+2, "new") && c.is(i+3, "("):
		if t.text == "INET" || t.text == "IP" || t.text == "SSL" {
			c.connects(i+3, t.text) // IO::Socket::INET
		}
	case c.is(i+1, ".") && c.is(i+3, "(") && c.connectsBy(i, c.at(i+2).text):
		c.connects(i+3, t.text)
	case (c.is(i+1, ":") || c.is(i+1, "=>")) && !c.is(i+2, ":"):
		c.keyword(i)
	}
}

func isAssignment(t token) bool { return t.kind == tokMark && (t.text == "=" || t.text == ":=") }

// assignment keeps the value of a name: host = os.environ["DB_HOST"].
func (c *reader) assignment(i int) {
	if value, _, ok := c.expression(i + 2); ok && len(c.values) < maxNames {
		c.values[c.tokens[i].text] = value
	}
}

// keyword judges host="db", {host: 'db'} and 'PeerAddr' => 'db'.
func (c *reader) keyword(i int) {
	doubt, ok := hostKeyword(c.tokens[i].text)
	if !ok || !c.insideCall(i) || c.isHeader(i) {
		return
	}
	value, _, ok := c.expression(i + 2)
	if !ok {
		return
	}
	if path, port, isHTTP := c.requestOptions(i); isHTTP && !strings.Contains(value, "://") {
		c.found = true
		c.web(target{scheme: "http", host: value, port: port, path: path}, nil, c.evidence(i), false)
		return
	}
	c.hosts(value, i, doubt)
}

// requestOptions finds the path and the port that stand beside a host:
// {host: 'localhost', port: 3000, path: '/livez'}.
func (c *reader) requestOptions(i int) (path, port string, ok bool) {
	for j := max(i-20, 0); j < i+20; j++ {
		if c.at(j).kind != tokName || !c.is(j+1, ":") && !c.is(j+1, "=") && !c.is(j+1, "=>") {
			continue
		}
		value := c.at(j + 2)
		switch {
		case c.at(j).text == "path" && value.kind == tokString && strings.HasPrefix(value.text, "/"):
			path, ok = c.interpolate(value), true
		case c.at(j).text == "port" && (value.kind == tokNumber || value.kind == tokString):
			port = value.text
		}
	}
	return path, port, ok
}

// hostKeyword tells whether a keyword argument is a host. It is in doubt where
// the word means other things as well and the value is a plain word.
func hostKeyword(name string) (doubt, ok bool) {
	switch name {
	case "host", "hostname", "bootstrap_servers", "bootstrapServers", "brokers", "broker_url", "conninfo",
		"PeerAddr", "PeerHost", "contact_points", "endpoint_url", "redis_url", "dsn":
		return false, true
	case "server", "servers", "addr", "address", "hosts", "broker", "url", "uri", "connectionString", "nodes", "baseURL", "base_url":
		return true, true
	}
	return false, false
}

// isHeader tells whether a token is a key of a request's headers, where a host is no
// address: {host: 'localhost', headers: {host: 'shop.example'}}.
func (c *reader) isHeader(i int) bool {
	j := c.opening(i)
	for j > 0 && (c.is(j, "(") || c.is(j-1, "(") || c.is(j-1, "dict") || c.is(j-1, "Headers") || c.is(j-1, "new")) {
		j-- // headers=dict(host="shop"), headers: new Headers({host: 'shop'})
	}
	switch strings.ToLower(c.at(j - 2).text) {
	case "headers", "header":
		return j >= 0
	}
	return false
}

// insideCall tells whether a token is among the arguments of a call, not in a
// statement of its own.
func (c *reader) insideCall(i int) bool {
	j := c.opening(i)
	return j >= 0 && (c.tokens[j].text != "[" || c.at(j-1).kind != tokName)
}

// opening returns the bracket that a token is in; -1 when it is in none, or that one is
// far away.
func (c *reader) opening(i int) int {
	depth := 0
	for j := i - 1; j >= 0 && i-j < 200; j-- {
		if c.tokens[j].kind != tokMark {
			continue
		}
		switch c.tokens[j].text {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth == 0 {
				return j
			}
			depth--
		}
	}
	return -1
}

// address judges a string that is a URL or a DSN.
func (c *reader) address(i int) {
	if !strings.Contains(c.tokens[i].text, "://") {
		return
	}
	value, _, _ := c.expression(i)
	value = strings.TrimSpace(value)
	scheme, _, ok := cutScheme(strings.TrimPrefix(value, "jdbc:"))
	if !ok || strings.ContainsAny(value, " \n<>") {
		return
	}
	c.found = true
	for _, t := range addresses(value) {
		if isWebScheme(scheme) {
			c.web(t, nil, c.evidence(i), false)
			continue
		}
		c.place(c.locate(t.host, subject{}), i, !isServerScheme(scheme))
	}
}

// hosts judges a value that must be a host, a URL or a list of these.
func (c *reader) hosts(value string, i int, doubt bool) {
	if value == "" || strings.ContainsAny(value, " \n") && !strings.Contains(value, "=") {
		return
	}
	if c.at(i+2).kind == tokString && strings.Contains(value, "://") {
		return // judged where the string stands
	}
	doubt = doubt && isPlainWord(value)
	for _, t := range addresses(value) {
		c.found = true
		c.place(c.locate(t.host, subject{}), i, doubt)
	}
}

// isPlainWord tells whether a value says nothing by its form: "main" may be a
// host, "main:5432" and "main.shop" are.
func isPlainWord(value string) bool { return !hasSymbol(value) && !strings.ContainsAny(value, ".:/=") }

// place reports where something is asked.
func (c *reader) place(p place, i int, doubt bool) {
	switch {
	case p.reach >= reachLikely:
		c.reportPlace(p, doubt, c.evidence(i))
	case p.reach == reachLocal:
		c.report(dependency.Answer{Scope: dependency.Instance, Asks: "a server in this pod", Evidence: c.evidence(i)})
	default:
		c.report(dependency.Answer{Evidence: c.evidence(i)})
	}
}

// evidence returns the line of the code that a token is in.
func (c *reader) evidence(i int) string {
	at := c.tokens[i].at
	from := strings.LastIndexAny(c.code[:at], "\n;") + 1
	to := len(c.code)
	if end := strings.IndexByte(c.code[at:], '\n'); end >= 0 {
		to = at + end
	}
	line := strings.TrimSpace(c.code[from:to])
	if len(line) > maxEvidence && at-from > maxEvidence/2 {
		line = strings.TrimSpace(c.code[at:to])
	}
	return evidence(secret.Code(c.render(line)))
}
