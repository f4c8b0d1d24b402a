package command

import (
	"net/url"
	"strings"
)

// maxTargets bounds how many hosts of one list are looked at.
const maxTargets = 16

// target is one address out of a URL, a DSN, a list of hosts.
type target struct {
	scheme string // lower case, without "jdbc:"; empty when none is written
	host   string // without port and brackets; empty when none is written
	port   string
	path   string // path and query as written
}

// socketHost is the host of what is asked through a file: a Unix socket, SQLite.
const socketHost = "/"

// addresses reads what a client takes for an address: a URL, a DSN, a conninfo
// string, host:port, or a list of these.
func addresses(s string) []target {
	s = strings.Trim(strings.TrimSpace(s), `"'`)
	s = strings.TrimPrefix(s, "jdbc:")
	if s == "" {
		return nil
	}
	if strings.HasPrefix(s, "oracle:") {
		return oracleAddress(s)
	}
	if strings.Count(s, "://") > 1 && strings.IndexByte(s, ',') > 0 {
		return hostList(s)
	}
	if scheme, rest, ok := cutScheme(s); ok {
		return urlAddresses(scheme, rest)
	}
	if list, ok := conninfo(s); ok {
		return list
	}
	if list, ok := protocolAddress(s); ok {
		return list
	}
	return hostList(s)
}

// cutScheme cuts "scheme://".
func cutScheme(s string) (scheme, rest string, ok bool) {
	i := strings.Index(s, "://")
	if i <= 0 || i > 40 {
		return "", "", false
	}
	for _, c := range s[:i] {
		if !isSchemeRune(c) {
			return "", "", false
		}
	}
	return strings.ToLower(s[:i]), s[i+3:], true
}

func isSchemeRune(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '+' || c == '-' || c == '.' || c == ':' || c >= firstSymbol && c < firstSymbol+maxSymbols
}

// isFileScheme tells whether a scheme names a file of this container.
func isFileScheme(scheme string) bool {
	switch scheme {
	case "unix", "unixs", "file", "ipc", "sqlite", "sqlite3", "socket", "local", "npipe", "fd":
		return true
	}
	return strings.HasPrefix(scheme, "sqlite+") || strings.HasSuffix(scheme, "+unix") ||
		strings.HasSuffix(scheme, "+socket") || strings.HasPrefix(scheme, "unix+")
}

// urlAddresses reads what follows "scheme://".
func urlAddresses(scheme, rest string) []target {
	if isFileScheme(scheme) {
		return []target{{scheme: scheme, host: socketHost, path: rest}}
	}
	if isResolverScheme(scheme) {
		// gRPC: dns://[authority]/host:port
		// (https://github.com/grpc/grpc/blob/master/doc/naming.md)
		if _, after, ok := strings.Cut(rest, "/"); ok {
			rest = after
		}
		return withScheme(scheme, hostList(rest))
	}
	end := strings.IndexAny(rest, "/?#;")
	if end < 0 {
		end = len(rest)
	}
	authority, tail := rest[:end], rest[end:]
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	} else if at := strings.IndexByte(tail, '@'); at >= 0 && strings.IndexByte(rest[:end+at], ':') >= 0 &&
		!strings.ContainsAny(tail[:at], "?& ") && strings.Contains(scheme, "sql") {
		// A password with a slash in it, as drivers accept it.
		return urlAddresses(scheme, rest[end+at+1:])
	}
	if inside, ok := parenthesised(authority); ok {
		authority = inside // tcp(host:port), the DSN of go-sql-driver/mysql
	}
	if isPostgres(scheme) {
		if hosts := queryValue(tail, "host"); hosts != "" {
			authority = hosts
		}
	}
	list := hostList(authority)
	if len(list) == 0 {
		list = []target{{}}
	}
	for i := range list {
		list[i].scheme, list[i].path = scheme, tail
	}
	return list
}

func isResolverScheme(scheme string) bool {
	switch scheme {
	case "dns", "passthrough", "ipv4", "ipv6", "xds", "static":
		return true
	}
	return false
}

func isPostgres(scheme string) bool {
	return strings.HasPrefix(scheme, "postgres") || strings.HasPrefix(scheme, "pgsql")
}

func withScheme(scheme string, list []target) []target {
	for i := range list {
		list[i].scheme = scheme
	}
	return list
}

// queryValue returns a parameter of a URL's query.
func queryValue(tail, key string) string {
	_, query, _ := strings.Cut(tail, "?")
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if name, value, _ := strings.Cut(pair, "="); name == key {
			return unescape(value)
		}
	}
	return ""
}

func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// parenthesised returns what is inside of "tcp(host:port)" and "unix(/path)".
func parenthesised(s string) (string, bool) {
	open := strings.IndexByte(s, '(')
	if open < 0 {
		return "", false
	}
	inside, _, _ := strings.Cut(s[open+1:], ")")
	return inside, true
}

// protocolAddress reads "user:pass@tcp(host:port)/db", "ipv4:1.2.3.4:80",
// "unix:/run/app.sock" and "tcp:db,1433".
func protocolAddress(s string) ([]target, bool) {
	if inside, ok := parenthesised(s); ok && strings.IndexByte(s, ')') > 0 {
		return hostList(inside), true
	}
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok {
		return nil, false
	}
	scheme = strings.ToLower(scheme)
	switch {
	case isFileScheme(scheme) && rest != "" && !isPort(rest):
		return []target{{scheme: scheme, host: socketHost, path: rest}}, true
	case isResolverScheme(scheme) && !isPort(rest):
		return withScheme(scheme, hostList(strings.TrimLeft(rest, "/"))), true
	case isProtocol(scheme) && !isPort(rest):
		return sqlServerAddress(rest), true
	}
	return nil, false
}

// isProtocol tells whether what stands in front of a colon is a protocol, for
// SQL Server or for socat, and not a host.
func isProtocol(s string) bool {
	switch s {
	case "tcp", "tcp4", "tcp6", "udp", "udp4", "udp6", "tcp-connect", "openssl", "ssl", "sctp", "np", "lpc", "admin":
		return true
	}
	return false
}

// isPort tells whether a text is a port and nothing else.
func isPort(s string) bool {
	if s == "" || len(s) > 5 {
		return false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// conninfo reads "host=db port=5432" and "Server=db;Database=orders". The keys
// are those of libpq, ODBC, ADO.NET and PDO.
func conninfo(s string) ([]target, bool) {
	if strings.IndexByte(s, '=') < 0 {
		return nil, false
	}
	var list []target
	var port string
	known := false
	for _, field := range strings.FieldsFunc(s, func(c rune) bool { return c == ';' || c == ' ' || c == '\t' || c == '\n' }) {
		key, value, ok := strings.Cut(field, "=")
		if !ok {
			continue
		}
		value = strings.Trim(value, `'"`)
		if i := strings.LastIndexByte(key, ':'); i >= 0 {
			key = key[i+1:] // "mysql:host=db"
		}
		switch strings.ToLower(key) {
		case "host", "hostaddr", "hostname", "servername", "addr", "address":
			known = true
			list = append(list, hostList(value)...)
		case "server", "source", "datasource": // "Data Source" is two fields
			known = true
			list = append(list, sqlServerAddress(value)...)
		case "port":
			known, port = true, value
		case "dbname", "user", "database", "sslmode", "connect_timeout", "unix_socket", "service":
			known = true
		}
	}
	for i := range list {
		if list[i].port == "" {
			list[i].port = port
		}
	}
	return list, known
}

// sqlServerAddress reads "tcp:db\instance,1433".
func sqlServerAddress(s string) []target {
	s = strings.TrimPrefix(s, "tcp:")
	s, port, _ := strings.Cut(s, ",")
	s, _, _ = strings.Cut(s, `\`)
	if strings.EqualFold(s, "(local)") || s == "." || strings.HasPrefix(strings.ToLower(s), "(localdb)") {
		s = "localhost"
	}
	list := hostList(s)
	for i := range list {
		if port != "" {
			list[i].port = port
		}
	}
	return list
}

// oracleAddress reads "oracle:thin:@//host:port/service" and "oracle:thin:@host:port:sid".
func oracleAddress(s string) []target {
	_, rest, ok := strings.Cut(s, "@")
	if !ok {
		return nil
	}
	rest = strings.TrimPrefix(rest, "//")
	if i := strings.Index(lowered(rest), "(host="); i >= 0 {
		rest, _, _ = strings.Cut(rest[i+6:], ")")
	}
	rest, _, _ = strings.Cut(rest, "/")
	host, tail, _ := strings.Cut(rest, ":")
	port, _, _ := strings.Cut(tail, ":")
	return []target{{scheme: "oracle", host: host, port: port}}
}

// hostList reads hosts with or without a port, separated by commas.
func hostList(s string) []target {
	var list []target
	for s != "" && len(list) < maxTargets {
		var one string
		one, s, _ = strings.Cut(s, ",")
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		if scheme, rest, ok := cutScheme(one); ok {
			list = append(list, urlAddresses(scheme, rest)...)
			continue
		}
		list = append(list, hostPort(one))
	}
	return list
}

// hostPort reads one host: "db", "db:5432", "[::1]:80", "user@db/path".
func hostPort(s string) target {
	var t target
	if strings.HasPrefix(s, "/") || strings.HasPrefix(s, "@") {
		t.host = socketHost
		return t
	}
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		s, t.path = s[:i], s[i:]
	}
	if at := strings.LastIndexByte(s, '@'); at >= 0 {
		s = s[at+1:]
	}
	if strings.HasPrefix(s, "[") {
		inside, after, _ := strings.Cut(s[1:], "]")
		t.host, t.port = inside, strings.TrimPrefix(after, ":")
		return t
	}
	if strings.Count(s, ":") > 1 && isIPv6(s) {
		t.host = s
		return t
	}
	t.host, t.port, _ = strings.Cut(s, ":")
	t.host = unescape(t.host)
	if strings.HasPrefix(t.host, "/") {
		t.host = socketHost
	}
	if t.host == "" && t.port != "" {
		t.host = "localhost" // ":50051" is how Go writes any local address
	}
	return t
}
