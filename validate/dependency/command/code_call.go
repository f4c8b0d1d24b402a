package command

import (
	"strings"

	"github.com/probity-dev/probity/validate/dependency"
)

// isConnecting tells whether the first argument of a call of this name is an
// address.
func isConnecting(name string) bool {
	switch name {
	case "fsockopen", "pfsockopen", "stream_socket_client", "create_connection", "connect", "connect_ex",
		"createConnection", "gethostbyname", "gethostbyname_ex", "getaddrinfo", "dns_get_record", "checkdnsrr",
		"Redis", "StrictRedis", "RedisCluster", "Sentinel", "MongoClient", "AsyncIOMotorClient",
		"KafkaProducer", "KafkaConsumer", "KafkaAdminClient", "AdminClient",
		"HTTPConnection", "HTTPSConnection", "BlockingConnection", "ConnectionParameters", "Elasticsearch", "OpenSearch",
		"TCPSocket", "UDPSocket", "mysqli", "mysqli_connect", "pg_connect", "pconnect", "PDO", "Cluster", "Minio",
		"Connection", "URLParameters", "insecure_channel", "secure_channel", "IMAP4", "SMTP", "FTP", "createClient", "from_url", "addServer":
		return true
	}
	return false
}

// resolves tells whether a call asks for a name: dns.lookup('db'),
// resolver.resolve("db").
func (c *reader) resolves(i int) bool {
	switch c.tokens[i].text {
	case "lookup", "resolve", "resolve4", "resolve6", "query":
	default:
		return false
	}
	for j := i - 1; j >= 0 && i-j < 6; j-- {
		switch c.at(j).text {
		case "dns", "node:dns", "resolver", "promises":
			return true
		}
	}
	return false
}

// optionsOnly judges a request of Node.js without a host, which is to localhost:
// http.get({port: 3000, path: '/livez'}).
func (c *reader) optionsOnly(i int) {
	for j := i + 3; j < len(c.tokens) && j < i+30 && !c.is(j, "}"); j++ {
		if _, isHost := hostKeyword(c.at(j).text); isHost && c.is(j+1, ":") && !c.isHeader(j) || c.is(j, "socketPath") {
			return // judged there
		}
	}
	if path, port, ok := c.requestOptions(i + 3); ok {
		c.found = true
		c.web(target{scheme: "http", host: "localhost", port: port, path: path}, nil, c.evidence(i), false)
	}
}

// asksURL tells whether a function asks the URL that it is given.
func asksURL(name string) bool {
	switch name {
	case "urlopen", "fetch", "file_get_contents", "curl_init", "get_response", "Request", "urlretrieve":
		return true
	}
	return false
}

// connectsBy tells whether a method of a class connects to its first argument:
// TCPSocket.new, Net::HTTP.get, Mongo::Client.new.
func (c *reader) connectsBy(i int, method string) bool {
	class := c.tokens[i].text
	switch method {
	case "new", "open", "start", "connect":
		switch class {
		case "HTTP", "Kafka", "Rdkafka", "Bunny", "Ping":
			return true
		case "Client", "TCP", "ICMP":
			return c.is(i-1, "::")
		}
		return isConnecting(class)
	case "get", "get_response", "get_print", "head":
		return class == "HTTP" && c.is(i-1, "::") && c.is(i-2, "Net")
	case "tcp", "udp":
		return class == "Socket" || class == "Addrinfo"
	case "getaddress", "getaddresses", "each_address", "getaddrinfo":
		return class == "Resolv" || class == "IPSocket" || class == "Addrinfo"
	case "ping", "connect_start":
		return class == "Connection" && c.is(i-2, "PG")
	}
	return false
}

// callee judges a call by the name that is called.
func (c *reader) callee(i int) {
	name := c.tokens[i].text
	if how := c.spawnerOf(i); how != notSpawner {
		c.spawn(i+1, how)
		return
	}
	switch {
	case isConnecting(name) && !c.is(i-2, "sqlite3"), c.resolves(i):
		c.connects(i+1, name)
	case (name == "get" || name == "request") && c.is(i-1, ".") && c.is(i+2, "{"):
		c.optionsOnly(i)
	case asksURL(name) && c.at(i+2).kind == tokName:
		if value, _, ok := c.expression(i + 2); !ok || hasSymbol(value) {
			c.unread = true
		}
	}
}

// connects judges the first argument of a call that connects: a host, an address
// in brackets, or a port with the host behind it.
func (c *reader) connects(open int, name string) {
	i := open + 1
	if c.is(i, ")") {
		return // the library's default; see libraries
	}
	for c.is(i, "(") || c.is(i, "[") || c.is(i, "{") {
		i++
	}
	if c.at(i).kind == tokNumber && c.is(i+1, ",") {
		i += 2 // connect(5432, 'db')
	}
	if c.at(i).kind == tokNumber && c.is(i+1, ")") && c.lang == javascript {
		c.found = true
		c.place(place{reach: reachLocal}, open-1, false) // connect(3000)
		return
	}
	if c.at(i).kind == tokName && (isAssignment(c.at(i+1)) || c.is(i+1, ":") || c.is(i+1, "=>")) {
		return // a keyword argument
	}
	value, _, ok := c.expression(i)
	if !ok {
		c.unread = true
		return
	}
	if strings.Contains(value, "://") && c.at(i).kind == tokString {
		return // judged where the string stands
	}
	if name == "PDO" {
		value = strings.ReplaceAll(value, ";", " ")
	}
	if value == "" || strings.ContainsAny(value, "\n") {
		return
	}
	if strings.Contains(value, " ") && !strings.Contains(value, "=") {
		return
	}
	list := addresses(value)
	if len(list) == 0 && strings.Contains(value, "dbname=") {
		list = []target{{host: socketHost}} // libpq's default
	}
	for _, t := range list {
		c.found = true
		if path, port := c.requested(open, i); path != "" && strings.HasPrefix(name, "HTTP") {
			c.web(target{scheme: "http", host: t.host, port: port, path: path}, nil, c.evidence(open-1), false)
			continue
		}
		// connect("main") may be anything; connect("main", 5432) is not.
		generic := name == "connect" || name == "Connection" || name == "Cluster" || name == "createClient"
		hasPort := t.port != "" || c.at(i+2).kind == tokNumber || c.at(i-1).kind == tokMark && c.at(i-2).kind == tokNumber
		c.place(c.locateIn(t.host, name), open-1, generic && !hasPort && isPlainWord(value))
	}
}

// requested returns the path that is asked for over a connection, and the port
// where it stands beside it: conn.request("GET", "/livez"),
// get('localhost', '/livez', 3000).
func (c *reader) requested(open, first int) (path, port string) {
	if second := c.at(first + 2); c.is(first+1, ",") && second.kind == tokString && strings.HasPrefix(second.text, "/") {
		if c.is(first+3, ",") && c.at(first+4).kind == tokNumber {
			port = c.at(first + 4).text
		}
		return c.interpolate(second), port
	}
	for i := open; i < len(c.tokens) && i < open+60; i++ {
		switch {
		case c.is(i, "request") && c.is(i+1, "(") && isMethod(c.at(i+2).text) && c.is(i+3, ",") && c.at(i+4).kind == tokString:
			return c.interpolate(c.at(i + 4)), ""
		case c.is(i, ".") && (c.is(i+1, "get") || c.is(i+1, "head")) && c.is(i+2, "(") && strings.HasPrefix(c.at(i+3).text, "/"):
			return c.interpolate(c.at(i + 3)), ""
		}
	}
	return "", ""
}

// locateIn locates a host that a library is given: its name tells what the host is.
func (c *reader) locateIn(host, name string) place {
	s, ok := c.onlySymbol(host)
	if ok && s.kind == symVar && c.nameEvidence(s.name) == namesNothing && c.vocabulary.all[strings.ToLower(name)] != "" && !isSelfName(s.name) {
		return place{reach: reachLikely, asks: "the host in " + s.text}
	}
	return c.locate(host, subject{})
}

// library is a library that asks a system, and how code shows that it does.
type library struct {
	language language
	// imports are the names that a program takes it in by, separated by blanks.
	imports string
	// calls are names of which one must be called, or accessed, for the system
	// to be asked. An import alone asks nobody.
	calls string
	asks  string
	// certain is set where the library's user cannot be a server's own pod: a
	// Celery worker is not its broker.
	certain bool
	// local is set where the library's default is a local server, so that a
	// call without arguments asks nobody else.
	local  bool
	source string
}

// libraries judges what is asked through libraries where no address is in the
// code.
func (c *reader) libraries() {
	for _, l := range c.run.libraries {
		if l.language != noLanguage && l.language != c.lang {
			continue
		}
		at := c.imported(l)
		if at < 0 {
			continue
		}
		call := c.called(l)
		if call < 0 {
			continue
		}
		if c.found && !l.certain {
			continue // the address says it
		}
		c.found = true
		a := dependency.Answer{
			Scope: dependency.Shared, Likely: !l.certain, Asks: l.asks, Evidence: c.evidence(call), Source: l.source,
		}
		if l.local && c.callsWithoutArguments(call) {
			a = dependency.Answer{Scope: dependency.Instance, Asks: "a server in this pod", Evidence: a.Evidence}
		}
		c.report(a)
	}
}

// imported returns the token where a library is taken in, or -1.
func (c *reader) imported(l *library) int {
	for i, t := range c.tokens {
		if t.kind == tokName && takesValue(l.imports, t.text) && c.isImport(i) {
			return i
		}
		if t.kind == tokString && takesValue(l.imports, t.text) && c.isRequire(i) {
			return i
		}
	}
	return -1
}

// isImport tells whether a name is part of "import x", "from x.y import z",
// "use x;" or "new X".
func (c *reader) isImport(i int) bool {
	for j := i - 1; j >= 0 && i-j < 40; j-- {
		switch t := c.at(j); {
		case t.kind == tokName && (t.text == "import" || t.text == "from" || t.text == "use" || t.text == "new" ||
			t.text == "require"):
			return true
		case t.kind == tokName && (t.text == "as" || j == i-1) && !c.is(j, "as"):
			return false
		case t.kind == tokMark && t.text != "." && t.text != "," && t.text != "::" && t.text != `\` && t.text != "(":
			return false
		}
	}
	return c.lang == php || c.lang == ruby || c.lang == javascript
}

// isRequire tells whether a string is the argument of require or import.
func (c *reader) isRequire(i int) bool {
	for j := i - 1; j >= i-2; j-- {
		switch c.at(j).text {
		case "require", "import", "from", "import_module", "__import__":
			return true
		case "(":
		default:
			return false
		}
	}
	return false
}

// called returns the token where the library asks its system, or -1.
func (c *reader) called(l *library) int {
	for i, t := range c.tokens {
		if t.kind != tokName || !takesValue(l.calls, t.text) || c.inImportLine(t) {
			continue
		}
		if c.isCalled(i) {
			return i
		}
	}
	return -1
}

// isCalled tells whether a name is called, or what is called belongs to it:
// ping(), control.ping(). Ruby calls without brackets.
func (c *reader) isCalled(i int) bool {
	switch {
	case c.is(i+1, "("):
		return true
	case c.is(i+1, ".") && c.at(i+2).kind == tokName:
		return c.is(i+3, "(") || c.lang == ruby
	}
	return c.lang == ruby && (c.is(i-1, ".") || c.is(i-1, "::"))
}

// inImportLine tells whether a token is part of "from celery.app.control import
// Inspect", which calls nothing yet.
func (c *reader) inImportLine(t token) bool {
	from := strings.LastIndexAny(c.code[:t.at], "\n;") + 1
	line := strings.TrimLeft(c.code[from:], " \t")
	return strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "from ") || strings.HasPrefix(line, "use ")
}

// callsWithoutArguments tells whether the call at a token, or the one that made
// its object, has no arguments.
func (c *reader) callsWithoutArguments(i int) bool {
	for j := i; j >= 0 && j > i-6; j-- {
		if c.is(j, "(") {
			return c.is(j+1, ")")
		}
	}
	return c.is(i+1, "(") && c.is(i+2, ")")
}
