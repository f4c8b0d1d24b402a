package command

import (
	"strings"

	"github.com/probity-dev/probity/validate/dependency"
)

// invocation is a program that is started.
type invocation struct {
	words []word
	stdin string // what it reads, as far as that is known
	reads bool   // somebody reads what it writes
	shown []word // what the manifest writes, where the words are only a part
}

// text is the command as evidence.
func (in invocation) text() string {
	if in.shown != nil {
		return written(in.shown, nil)
	}
	return written(in.words, nil)
}

// args are the values of the arguments.
func (in invocation) args() []word { return in.words[1:] }

// with replaces the words.
func (in invocation) with(words []word) invocation {
	in.words = words
	return in
}

// programName returns the name by which the tables know a program.
func programName(path string) string {
	name := baseName(path)
	for i := range len(name) {
		if c := name[i]; 'A' <= c && c <= 'Z' {
			name = strings.ToLower(name)
			break
		}
	}
	return strings.TrimSuffix(name, ".exe")
}

// lowered returns a text in lower case, as far as ASCII goes: of the same length,
// so that an index into the one is an index into the other.
func lowered(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// program judges one program with its arguments and returns what it writes, as
// far as that is known.
func (r *run) program(in invocation) string {
	if len(in.words) == 0 || !r.spend() {
		return ""
	}
	r.depth++
	defer func() { r.depth-- }()
	name := programName(in.words[0].val)
	if c := r.clientOf(name); c != nil {
		r.client(c, in, name)
		return ""
	}
	if kind := shellKind(name); kind != notShell {
		return r.startShell(kind, in)
	}
	if name == "xargs" || name == "gxargs" {
		return r.xargs(in)
	}
	if w := r.wrappers[name]; w != nil {
		return r.unwrap(w, in)
	}
	if t := r.runtimeOf(name); t != nil {
		r.interpreter(t, in)
		return ""
	}
	if l, ok := r.local[name]; ok {
		return r.localProgram(name, l, in)
	}
	return r.unknownProgram(in)
}

// localProgram judges a program that asks nobody, whatever its arguments are.
func (r *run) localProgram(name string, l localProgram, in invocation) string {
	if l.asks != "" {
		r.report(dependency.Answer{Scope: dependency.Process, Asks: l.asks, Evidence: written(in.words, nil)})
	}
	r.slow(l.heavy, name)
	if r.shells == 0 && l.paths {
		r.unexpandedItems(in)
	}
	if name == "find" {
		r.findExec(in)
	}
	if !in.reads {
		return ""
	}
	return r.output(name, in)
}

// findExec judges the commands of find's -exec.
func (r *run) findExec(in invocation) {
	for i, w := range in.words {
		if w.val != "-exec" && w.val != "-execdir" && w.val != "-ok" {
			continue
		}
		end := i + 1
		for end < len(in.words) && in.words[end].val != ";" && in.words[end].val != "+" {
			end++
		}
		r.program(invocation{words: in.words[i+1 : end]})
	}
}

// unknownProgram judges a program that no table knows, by its arguments: an
// address that is handed to a probe is asked. The rest stays unknown.
func (r *run) unknownProgram(in invocation) string {
	text := in.text()
	if onlyDescribesItself(in.args()) {
		r.report(dependency.Answer{Scope: dependency.Process, Asks: asksLocal, Evidence: text})
		return ""
	}
	r.report(dependency.Answer{Evidence: text})
	if a, ok := r.scriptName(in); ok {
		a.Evidence = text
		r.report(a)
	}
	flag := ""
	for _, w := range in.args() {
		value := w.val
		if strings.HasPrefix(value, "-") {
			name, after, ok := strings.Cut(value, "=")
			if !ok {
				flag = name
				continue
			}
			flag, value = name, after
		}
		r.handedOver(flag, value, text)
		flag = ""
	}
	return r.opaque(r.wordsText(in))
}

// onlyDescribesItself tells whether a program only prints what it is.
func onlyDescribesItself(args []word) bool {
	return len(args) == 1 && (args[0].val == "--version" || args[0].val == "--help")
}

// handedOver judges an argument of a program that no table knows.
func (r *run) handedOver(flag, value, text string) {
	if s, ok := r.onlySymbol(value); ok {
		// A variable tells by its name what it holds.
		if s.kind == symVar && r.nameEvidence(s.name) == namesDependency && holdsAddress(s.name) {
			p := r.locateVariable(s, subject{})
			r.reportPlace(p, true, text)
		}
		return
	}
	scheme, _, isURL := cutScheme(strings.TrimPrefix(value, "jdbc:"))
	switch {
	case isURL && isWebScheme(scheme):
		for _, t := range addresses(value) {
			r.web(t, nil, text, true)
		}
	case isURL:
		for _, t := range addresses(value) {
			r.reportPlace(r.locate(t.host, subject{}), !isServerScheme(scheme), text)
		}
	case isHostFlag(flag) && value != "":
		for _, t := range addresses(value) {
			r.reportPlace(r.locate(t.host, subject{}), true, text)
		}
	case flag == "" && isHostAndPort(value):
		for _, t := range hostList(value) {
			r.reportPlace(r.locate(t.host, subject{}), true, text)
		}
	}
}

// reportPlace reports a host that is elsewhere.
func (r *run) reportPlace(p place, doubt bool, text string) {
	if p.reach < reachLikely {
		return
	}
	a := p.answer()
	a.Likely = a.Likely || doubt
	a.Evidence = text
	r.report(a)
}

// holdsAddress tells whether a variable is named after an address, not after a
// password or a user.
func holdsAddress(name string) bool {
	for w := range nameWords(name) {
		switch w {
		case "host", "hosts", "url", "uri", "addr", "address", "addresses", "server", "servers", "endpoint",
			"endpoints", "dsn", "connection", "broker", "brokers", "bootstrap", "conn":
			return true
		}
		if strings.HasSuffix(w, "host") || strings.HasSuffix(w, "url") || strings.HasSuffix(w, "uri") {
			return true
		}
	}
	return false
}

// isHostFlag tells whether an option of an unknown program takes a host.
func isHostFlag(flag string) bool {
	switch strings.ToLower(strings.TrimLeft(flag, "-")) {
	case "host", "hostname", "server", "addr", "address", "endpoint", "endpoints", "broker", "brokers", "url", "uri",
		"db-host", "dbhost", "database-host", "redis-host", "redis-url", "database-url", "db-url", "dsn", "database",
		"bootstrap-server", "bootstrap-servers", "server-address", "server-addr", "connect", "target", "peer", "upstream":
		return true
	}
	return false
}

// isHostAndPort tells whether an argument is written like "db:5432".
func isHostAndPort(s string) bool {
	host, port, ok := strings.Cut(s, ":")
	return ok && len(port) > 1 && isPort(port) && isHostName(strings.ToLower(host)) && !isPort(host)
}

// isServerScheme tells whether a URL is the address of a server. Others may name
// a bucket or an image.
func isServerScheme(scheme string) bool {
	scheme, _, _ = strings.Cut(scheme, "+")
	scheme, _, _ = strings.Cut(scheme, ":")
	switch scheme {
	case "postgres", "postgresql", "pgsql", "mysql", "mysqlx", "mariadb", "mongodb", "redis", "rediss", "valkey", "amqp", "amqps", "kafka",
		"nats", "tls", "tcp", "udp", "ldap", "ldaps", "smtp", "smtps", "memcached", "memcache", "clickhouse", "cassandra", "sqlserver", "mssql",
		"oracle", "elasticsearch", "etcd", "zk", "zookeeper", "mqtt", "mqtts", "bolt", "neo4j", "neo4js", "grpc", "grpcs", "dns",
		"couchbase", "couchbases", "influxdb", "cockroachdb", "pulsar", "stomp", "ftp", "sftp", "ssh", "thrift", "hive2", "trino":
		return true
	}
	return isWebScheme(scheme)
}

// isWebScheme tells whether a URL is asked over HTTP.
func isWebScheme(scheme string) bool {
	switch scheme {
	case "http", "https", "ws", "wss", "":
		return true
	}
	return false
}
