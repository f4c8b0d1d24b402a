package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/probity-dev/probity/validate/dependency"
)

// Client is one program that talks to a server, or asks for a state that many
// share.
type Client struct {
	// Names are the names of the program, lower case, without directory,
	// and ".exe". "python -m NAME" and "java ... NAME" find it, too.
	Names []string
	// Scripts is set where the names end in .sh or .bat as well.
	Scripts bool
	// Images are words in the name of the image that the program comes with,
	// for names that others use, too.
	Images string

	// Product completes "asks ..." for its own server: "PostgreSQL".
	Product string

	// Servers are the words in the name of an image or a program that show
	// that the product's server is what runs in this container, separated by
	// blanks. Empty for a client of anything, such as curl.
	Servers string
	// Port is the port of the server; a pod that declares it runs the server.
	Port int32

	// Flags are the options that take a value, each with its role behind a
	// colon: "-h:host --host:host -p:port". Options that are not listed are
	// switches. See role.
	Flags string
	// Args are the roles of the arguments that are no options, in order. The
	// last one holds for all that follow. Empty means "word".
	Args string
	// Style says how options are written.
	Style Style

	// Env are the variables that the program itself reads an address from,
	// used where the command line gives none.
	Env string

	// Default is whom the program asks when it is told no address.
	Default Default
	// Asks completes "asks ..." for the default, when it is shared.
	Asks string

	// Protocol says what the address means to the check.
	Protocol Protocol

	// Verbs are what can be asked, the first that fits decides. They hold for
	// the local server; another host is a dependency whatever it is asked.
	Verbs []Verb
	// Relays are the proxies in front of the product, which hand queries on.
	Relays []Relay

	// Heavy names the runtime that the program starts: "a JVM", "Python".
	Heavy string

	// Instead is the product's own check of one instance.
	Instead string
	// Source is a URL where the flags and the default can be read.
	Source string

	// Remote and Local are commands that ask another host, and only this pod.
	// They are the entry's tests. Empty where the client has no such use.
	Remote, Local string
}

// Style is how a program reads its options.
type Style uint8

// The styles.
const (
	// Getopt: "-h db", "-hdb", "--host db", "--host=db"; "-qh db" is "-q -h db".
	Getopt Style = iota
	// LongDash: one dash or two before a long name: "-addr=db", "--addr db".
	// Go programs and Java tools.
	LongDash
	// Leading: as Getopt, and the first argument ends the options.
	Leading
	// Cmdlet: as LongDash, in any case. PowerShell.
	Cmdlet
)

// Default is whom a program asks that is told no address.
type Default uint8

// The defaults.
const (
	// DefaultLocal is a socket or a loopback address.
	DefaultLocal Default = iota
	// DefaultShared is something that replicas share: the Kubernetes API.
	DefaultShared
	// DefaultLikely is the same, unless it is configured otherwise.
	DefaultLikely
	// DefaultUnknown is a file that the manifest does not show.
	DefaultUnknown
	// DefaultNone means that the program does nothing then.
	DefaultNone
)

// Protocol is what a client does at its address.
type Protocol uint8

// The protocols.
const (
	// Native: the verbs tell what is asked.
	Native Protocol = iota
	// HTTP: the URL's path tells it.
	HTTP
	// GRPC: the health service tells it.
	GRPC
	// TCP: whether the port accepts connections.
	TCP
	// Name: whether the name resolves.
	Name
)

// Verb is something that a client can ask.
type Verb struct {
	// Match are words that follow each other in the arguments, in a query or
	// on the standard input, lower case. "|" separates alternatives. An item
	// that starts with "-" is an option.
	Match string
	// Output is set when only the output tells, not the exit status: the verb
	// then counts where the output is read.
	Output bool
	// Local is set for what this instance answers by itself, whatever the
	// client's default is.
	Local     bool
	Likely    bool
	Readiness bool
	// Asks completes "asks ...".
	Asks string
	// Source is a URL, where it is not the client's.
	Source string
}

// Relay is a proxy that is local itself and hands queries on.
type Relay struct {
	Product string
	Images  string // words in the image's name
	Port    int32  // the port it is known by
	Own     string // databases and ports that it answers itself
	Source  string
}

// role is what the value of an option or an argument means.
type role uint8

const (
	roleValue     role = iota + 1 // nothing of interest
	roleHost                      // host, host:port, or a list of them
	rolePort                      // port
	roleURL                       // URL, DSN or conninfo
	roleDB                        // the name of a database, or a conninfo
	roleSecret                    // a password
	roleQuery                     // words to match verbs with
	roleSocket                    // the path of a Unix socket
	roleHeader                    // an HTTP header
	roleProxy                     // a proxy, which is asked instead
	roleMap                       // "host:port:address" of curl --resolve, --connect-to
	roleGlued                     // optional value, only with "=" or glued: mysql -p
	roleName                      // a name to resolve
	roleServer                    // a DNS server to ask
	roleWord                      // an argument to match verbs with
	roleNode                      // name@host of an Erlang node
	roleService                   // a gRPC health service
	roleEndpoint                  // "TCP:db:5432"; what has no colon is none
	roleStop                      // ends the arguments that are looked at
	roleCode                      // code in the language of the client
	roleSQLServer                 // "tcp:db,1433"
	roleOracle                    // "user/password@//db:1521/orders"
	roleMongo                     // a database's name, or an address
)

// roles are the roles by their names in the tables.
func roles() map[string]role {
	return map[string]role{
		"value": roleValue, "host": roleHost, "port": rolePort, "url": roleURL, "db": roleDB,
		"secret": roleSecret, "query": roleQuery, "socket": roleSocket, "header": roleHeader,
		"proxy": roleProxy, "map": roleMap, "glued": roleGlued, "name": roleName, "server": roleServer,
		"word": roleWord, "node": roleNode, "svc": roleService, "endpoint": roleEndpoint, "stop": roleStop,
		"code": roleCode, "mssql": roleSQLServer, "oracle": roleOracle, "mongo": roleMongo,
	}
}

// compiled is a client that is ready to be used.
type compiled struct {
	Client
	flags   map[string]role
	args    []role
	servers map[string]bool
	env     []string
	verbs   []compiledVerb
}

type compiledVerb struct {
	Verb
	phrases [][]string
}

// isProduct tells whether the client is made for one product.
func (c *Client) isProduct() bool { return c.Servers != "" }

// subject is what a host is asked for.
type subject struct{ client *compiled }

// compile makes a client ready. The error names the client and the faulty part.
func compile(c Client) (*compiled, error) {
	if len(c.Names) == 0 || c.Product == "" {
		return nil, fmt.Errorf("client %q must have names and a product", strings.Join(c.Names, ","))
	}
	for _, name := range c.Names {
		if name == "" || name != programName(name) {
			return nil, fmt.Errorf("client %q: a name must be lower case without directory and suffix, such as %q",
				name, programName(name))
		}
	}
	k := &compiled{Client: c, flags: map[string]role{}, servers: map[string]bool{}, env: strings.Fields(c.Env)}
	known := roles()
	for item := range strings.FieldsSeq(c.Flags) {
		flag, name, _ := strings.Cut(item, ":")
		kind, ok := known[name]
		if !ok || !strings.HasPrefix(flag, "-") && !strings.HasPrefix(flag, "/") {
			return nil, fmt.Errorf("client %q: flag %q must be an option and one of the roles %s",
				c.Names[0], item, legalRoles(known))
		}
		if c.Style == LongDash || c.Style == Cmdlet {
			flag = strings.ToLower(strings.TrimLeft(flag, "-"))
		}
		k.flags[flag] = kind
	}
	for name := range strings.FieldsSeq(c.Args) {
		kind, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("client %q: argument %q must be one of the roles %s", c.Names[0], name, legalRoles(known))
		}
		k.args = append(k.args, kind)
	}
	if len(k.args) == 0 {
		k.args = []role{roleWord}
	}
	for w := range strings.FieldsSeq(c.Servers) {
		k.servers[w] = true
	}
	for _, v := range c.Verbs {
		if slices.ContainsFunc(phrases(v.Match), func(words []string) bool { return len(words) == 0 }) {
			return nil, fmt.Errorf("client %q: verb %q must have words in each of its alternatives", c.Names[0], v.Match)
		}
		k.verbs = append(k.verbs, compiledVerb{v, phrases(v.Match)})
	}
	return k, nil
}

func legalRoles(known map[string]role) string {
	return strings.Join(slices.Sorted(maps.Keys(known)), ", ")
}

// phrases cuts "a b|c" into the alternatives and their words.
func phrases(match string) [][]string {
	var list [][]string
	for alternative := range strings.SplitSeq(match, "|") {
		list = append(list, strings.Fields(alternative))
	}
	return list
}

// answer tells what a verb asks.
func (v *compiledVerb) answer(c *compiled) dependency.Answer {
	a := dependency.Answer{
		Scope:     dependency.Shared,
		Likely:    v.Likely,
		Readiness: v.Readiness,
		Asks:      v.Asks,
		Source:    v.Source,
	}
	if v.Local {
		a.Scope = dependency.Instance
	} else {
		a.Instead = c.Instead
	}
	if a.Asks == "" {
		a.Asks = "its own " + c.Product
	}
	if a.Source == "" {
		a.Source = c.Source
	}
	return a
}

// Table returns the built-in clients, so that documentation can be made from
// them.
func Table() []Client { return slices.Concat(families()...) }

// families are the tables. Each call makes them anew, so nobody can change them
// for others.
func families() [][]Client {
	return [][]Client{
		sqlClients(), documentClients(), cacheClients(), brokerClients(), coordinationClients(),
		httpClients(), networkClients(), clusterClients(), frameworkClients(), waitClients(),
	}
}
