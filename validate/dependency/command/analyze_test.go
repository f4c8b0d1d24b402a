package command

import (
	"strings"
	"testing"

	"github.com/probity-dev/probity/validate/dependency"
)

// verdictOf sums an analysis up in a few words: "shared", "likely shared",
// "instance readiness".
func verdictOf(a Analysis) string {
	var words []string
	if a.Answer.Likely {
		words = append(words, "likely")
	}
	words = append(words, map[dependency.Scope]string{
		dependency.Unknown: "unknown", dependency.Process: "process",
		dependency.Instance: "instance", dependency.Shared: "shared",
	}[a.Answer.Scope])
	if a.Answer.Readiness {
		words = append(words, "readiness")
	}
	return strings.Join(words, " ")
}

// probe is an exec probe and what it must be judged as.
type probe struct {
	name string
	// script is run by sh -c; argv, where it is set, as it is.
	script string
	argv   []string
	req    Request
	want   string
	asks   string // when not empty
}

func (p probe) request() Request {
	r := p.req
	r.Argv = p.argv
	if p.argv == nil {
		r.Argv = []string{"sh", "-c", p.script}
	}
	return r
}

func judge(t *testing.T, probes []probe) {
	t.Helper()
	for _, p := range probes {
		t.Run(p.name, func(t *testing.T) {
			a := Analyze(p.request())
			if got := verdictOf(a); got != p.want {
				t.Errorf("%q is judged %q, want %q (asks %s, evidence %s)", p.request().Argv, got, p.want, a.Answer.Asks, a.Answer.Evidence)
			}
			if p.asks != "" && a.Answer.Asks != p.asks {
				t.Errorf("%q asks %s, want %s", p.request().Argv, a.Answer.Asks, p.asks)
			}
			if a.Answer.Evidence == "" {
				t.Errorf("%q has no evidence", p.request().Argv)
			}
		})
	}
}

func literal(name, value string) Request { return Request{Env: []EnvVar{{Name: name, Value: value}}} }

func from(name, source string) Request { return Request{Env: []EnvVar{{Name: name, From: source}}} }

func TestTheHostDecides(t *testing.T) {
	judge(t, []probe{
		{name: "a bare name is a Service", script: "pg_isready -h db", want: "shared", asks: `host "db"`},
		{name: "a glued option is read", script: "mysqladmin -hdb ping", want: "shared", asks: `host "db"`},
		{name: "an option behind switches in one word is read", script: "pg_isready -qh db", want: "shared", asks: `host "db"`},
		{name: "a long option with = is read", script: "pg_isready --host=db", want: "shared"},
		{name: "a long option with a blank is read", script: "pg_isready --host db", want: "shared"},
		{name: "an address of another machine", script: "nc -z 10.1.2.3 5432", want: "shared", asks: `host "10.1.2.3"`},
		{name: "a trailing dot changes nothing", script: "nc -z db. 5432", want: "shared"},
		{name: "upper case changes nothing", script: "nc -z LOCALHOST 5432", want: "process"},
		{name: "no host is the socket", script: "pg_isready -U app", want: "instance"},
		{name: "a socket directory is local", script: "pg_isready -h /var/run/postgresql", want: "instance"},
		{name: "an abstract socket is local", script: "pg_isready -h @pg", want: "instance"},
		{name: "loopback is local", script: "pg_isready -h 127.0.0.1", want: "instance"},
		{name: "all of 127/8 is local", script: "pg_isready -h 127.8.9.1", want: "instance"},
		{name: "IPv6 loopback is local", script: "redis-cli -h ::1 ping", want: "instance"},
		{name: "mapped loopback is local", script: "redis-cli -h ::ffff:127.0.0.1 ping", want: "instance"},
		{name: "a name of loopback is local", script: "redis-cli -h ip6-localhost ping", want: "instance"},
		{name: "a name below localhost is local", script: "curl -f http://app.localhost:8080/livez", want: "process"},
		{name: "the unspecified address is this host", script: "redis-cli -h 0.0.0.0 ping", want: "instance"},
		{name: "link-local with hostNetwork is the node", script: "nc -z 169.254.20.10 53", req: Request{HostNetwork: true}, want: "process"},
		{name: "link-local without hostNetwork is likely the node", script: "nc -z 169.254.20.10 53", want: "likely shared"},
		{name: "the metadata service is shared", script: "curl -f http://169.254.169.254/latest", want: "shared", asks: "the cloud's metadata service"},
		{name: "the pod's own name is local", script: "nc -z web-0 80", req: Request{OwnNames: []string{"web-0"}}, want: "process"},
		{name: "the own name with a domain is local", script: "nc -z web-0.web.shop.svc 80", req: Request{OwnNames: []string{"web-0"}}, want: "process"},
		{name: "a name that only starts like the own is not", script: "nc -z website 80", req: Request{OwnNames: []string{"web"}}, want: "shared"},
		{name: "one replica is likely another pod", script: "nc -z web-0.web 80", req: Request{OwnNames: []string{"web"}}, want: "likely shared"},
		{name: "two replicas are never both this pod", script: "etcdctl --endpoints=http://web-0.web:2379,http://web-1.web:2379 endpoint status", req: Request{OwnNames: []string{"web"}}, want: "shared", asks: "the other replicas"},
		{name: "the Kubernetes API has a name", script: "curl -k https://kubernetes.default.svc/version", want: "shared", asks: "the Kubernetes API"},
		{name: "what is no host name is unknown", script: "nc -z 'a b' 80", want: "unknown"},
	})
}

func TestVariablesHoldHosts(t *testing.T) {
	own := Request{Image: "docker.io/library/postgres:17", Env: []EnvVar{{Name: "POSTGRES_HOST", From: "secretKeyRef"}}}
	judge(t, []probe{
		{name: "the kubelet expands a literal", argv: []string{"pg_isready", "-h", "$(DB_HOST)"}, req: literal("DB_HOST", "orders-db"), want: "shared", asks: `host "orders-db"`},
		{name: "and loopback stays loopback", argv: []string{"pg_isready", "-h", "$(LISTEN)"}, req: literal("LISTEN", "127.0.0.1"), want: "instance"},
		{name: "without a shell $VAR is only text", argv: []string{"pg_isready", "-h", "$DB_HOST"}, req: literal("DB_HOST", "orders-db"), want: "unknown"},
		{name: "valueFrom is empty in a probe", argv: []string{"pg_isready", "-h", "$(DB_HOST)"}, req: from("DB_HOST", "secretKeyRef"), want: "unknown"},
		{name: "in a shell its name is evidence", script: `pg_isready -h "$DB_HOST"`, req: from("DB_HOST", "secretKeyRef"), want: "shared", asks: "the host in $DB_HOST"},
		{name: "a ConfigMap's key, too", script: `redis-cli -h $REDIS_HOST ping`, req: from("REDIS_HOST", "configMapKeyRef"), want: "shared"},
		{name: "a name that says nothing is likely for a client of one product", script: "redis-cli -h $TARGET ping", req: from("TARGET", "secretKeyRef"), want: "likely shared"},
		{name: "and nothing for a client of anything", script: "nc -z $TARGET 80", req: from("TARGET", "secretKeyRef"), want: "unknown"},
		{name: "a variable that nothing sets is likely", script: "pg_isready -h $DB_HOST", want: "likely shared"},
		{name: "envFrom may set it", script: "pg_isready -h $DB_HOST", req: Request{EnvFrom: true}, want: "shared"},
		{name: "the product's own image may listen there", script: "pg_isready -h $POSTGRES_HOST", req: own, want: "unknown"},
		{name: "the registry of an image says nothing", script: "nc -z $ELASTIC_HOST 9200", req: Request{Image: "docker.elastic.co/beats/filebeat:9.1.0", Env: []EnvVar{{Name: "ELASTIC_HOST", From: "secretKeyRef"}}}, want: "shared"},
		{name: "another one's primary is not here", script: "mysqladmin -h $MASTER_HOST ping", req: Request{Image: "mysql:8.4", Env: []EnvVar{{Name: "MASTER_HOST", From: "configMapKeyRef"}}}, want: "shared"},
		{name: "the pod's address is this pod", script: "pg_isready --host $POD_IP", req: from("POD_IP", "fieldRef:status.podIP"), want: "instance"},
		{name: "whatever the variable is called", script: "pg_isready --host $X", req: from("X", "fieldRef:status.podIP"), want: "instance"},
		{name: "the pod's name is this pod", script: "nc -z $NAME.web 80", req: from("NAME", "fieldRef:metadata.name"), want: "process"},
		{name: "the host's own name", script: "redis-cli -h $HOSTNAME ping", want: "instance"},
		{name: "the host's own name beside envFrom", script: "redis-cli -h $(hostname) ping", req: Request{EnvFrom: true}, want: "instance"},
		{name: "unless env says otherwise", script: "redis-cli -h $HOSTNAME ping", req: literal("HOSTNAME", "queue"), want: "shared"},
		{name: "the kubelet's variable for a Service", script: "nc -z $ORDERS_SERVICE_HOST 80", want: "shared", asks: "the Service in $ORDERS_SERVICE_HOST"},
		{name: "and for the API server", script: "nc -z $KUBERNETES_SERVICE_HOST 443", want: "shared", asks: "the Kubernetes API"},
		{name: "env refers to env", script: "psql $URL -c 'SELECT 1'", req: Request{Env: []EnvVar{{Name: "H", Value: "orders"}, {Name: "URL", Value: "postgres://a:b@$(H):5432/x"}}}, want: "shared", asks: `host "orders"`},
		{name: "and to a Secret", script: "psql $URL -c 'SELECT 1'", req: Request{Env: []EnvVar{{Name: "DB_HOST", From: "secretKeyRef"}, {Name: "URL", Value: "postgres://a:b@$(DB_HOST):5432/x"}}}, want: "shared", asks: "the host in $DB_HOST"},
		{name: "only unknown credentials leave the host known", script: `psql "postgresql://$U:$P@127.0.0.1/x" -c 'SELECT 1'`, want: "instance"},
		{name: "a host that is known in part is another one", script: "nc -z db-$ENV.data 5432", want: "shared", asks: `host "db-$ENV.data"`},
		{name: "a service in an unknown namespace is likely", script: "nc -z $APP.shop.svc 80", req: from("APP", "configMapKeyRef"), want: "likely shared"},
		{name: "a whole URL from a Secret", script: "psql $DATABASE_URL -c 'SELECT 1'", req: from("DATABASE_URL", "secretKeyRef"), want: "shared"},
		{name: "a database's name from a Secret is no address", script: "psql -U a -d $POSTGRES_DB -c 'SELECT 1'", req: from("POSTGRES_DB", "secretKeyRef"), want: "instance"},
	})
}

func TestVariablesThatClientsReadThemselves(t *testing.T) {
	judge(t, []probe{
		{name: "PGHOST names a host", argv: []string{"pg_isready"}, req: literal("PGHOST", "orders-db"), want: "shared"},
		{name: "PGHOST is a directory", argv: []string{"pg_isready"}, req: literal("PGHOST", "/tmp/pg"), want: "instance"},
		{name: "the command line wins", argv: []string{"pg_isready", "-h", "localhost"}, req: literal("PGHOST", "orders-db"), want: "instance"},
		{name: "a conninfo wins, too", argv: []string{"pg_isready", "-d", "host=localhost dbname=x"}, req: literal("PGHOST", "orders-db"), want: "instance"},
		{name: "a script sets it", script: "export PGHOST=orders-db; pg_isready", want: "shared"},
		{name: "in front of the command", script: "PGHOST=orders-db pg_isready", want: "shared"},
		{name: "only for that command", script: "PGHOST=orders-db true; pg_isready", want: "instance"},
		{name: "by env", argv: []string{"env", "PGHOST=orders-db", "pg_isready"}, want: "shared"},
		{name: "MYSQL_HOST", argv: []string{"mysql", "-e", "SELECT 1"}, req: literal("MYSQL_HOST", "db"), want: "shared"},
		{name: "MYSQL_HOST is nothing to mysqladmin", argv: []string{"mysqladmin", "ping"}, req: literal("MYSQL_HOST", "db"), want: "instance"},
		{name: "VAULT_ADDR", argv: []string{"vault", "status"}, req: literal("VAULT_ADDR", "https://vault.vault:8200"), want: "shared"},
		{name: "VAULT_ADDR on loopback", argv: []string{"vault", "status"}, req: literal("VAULT_ADDR", "http://127.0.0.1:8200"), want: "instance"},
		{name: "ETCDCTL_ENDPOINTS", argv: []string{"etcdctl", "endpoint", "status"}, req: literal("ETCDCTL_ENDPOINTS", "etcd-a:2379,etcd-b:2379"), want: "shared"},
		{name: "CONSUL_HTTP_ADDR", argv: []string{"consul", "members"}, req: literal("CONSUL_HTTP_ADDR", "consul-server:8500"), want: "shared"},
		{name: "RQ_REDIS_URL", argv: []string{"rq", "info"}, req: literal("RQ_REDIS_URL", "redis://queue:6379/0"), want: "shared", asks: `host "queue"`},
		{name: "a Secret's PGHOST", argv: []string{"pg_isready"}, req: from("PGHOST", "secretKeyRef"), want: "shared"},
	})
}
