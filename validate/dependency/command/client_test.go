package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/probity-dev/probity/validate/dependency"
)

// runExample analyzes a command of the table the way its users write it.
func runExample(c Client, command string) Analysis {
	if c.Style == Cmdlet {
		return Analyze(Request{Argv: []string{"powershell", "-Command", command}})
	}
	return Analyze(Request{Argv: []string{"sh", "-c", command}})
}

func TestEveryClientOfTheTableWorks(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Table() {
		t.Run(c.Names[0], func(t *testing.T) {
			for _, name := range c.Names {
				name += " " + c.Images
				if seen[name] {
					t.Errorf("%s is in the table twice", name)
				}
				seen[name] = true
			}
			if !strings.HasPrefix(c.Source, "https://") && !strings.HasPrefix(c.Source, "http://") {
				t.Errorf("source %q is no URL", c.Source)
			}
			for _, v := range c.Verbs {
				if v.Match == "" || v.Match != strings.ToLower(v.Match) && !strings.Contains(v.Match, "-") {
					t.Errorf("verb %q must be lower case", v.Match)
				}
				if !v.Local && v.Asks == "" {
					t.Errorf("verb %q says not what it asks", v.Match)
				}
			}
			if c.Default == DefaultShared && c.Asks == "" {
				t.Error("its default is shared, and Asks is empty")
			}
			if c.Remote == "" && c.Local == "" && c.Images == "" {
				t.Error("has no example")
			}
			if c.Remote != "" {
				a := runExample(c, c.Remote)
				if a.Answer.Scope != dependency.Shared || a.Answer.Asks == "" {
					t.Errorf("%q is judged %q, want shared", c.Remote, verdictOf(a))
				}
			}
			if c.Local != "" {
				a := runExample(c, c.Local)
				if a.Answer.Scope != dependency.Process && a.Answer.Scope != dependency.Instance {
					t.Errorf("%q is judged %q (asks %s), want process or instance", c.Local, verdictOf(a), a.Answer.Asks)
				}
			}
			if c.Heavy != "" && c.Remote != "" && runExample(c, c.Remote).Heavy == "" {
				t.Errorf("%q is not noted as heavy", c.Remote)
			}
		})
	}
}

func TestTableCannotBeChangedByItsReaders(t *testing.T) {
	table := Table()
	table[0].Names[0] = "changed"
	if slices.Contains(Table()[0].Names, "changed") {
		t.Error("a reader changed the table")
	}
}

func TestOptionsExtendTheTables(t *testing.T) {
	a, err := New(Options{
		Clients: []Client{{Names: []string{"orderctl"}, Product: "Orders", Flags: "--target:host"}},
		Words:   []string{"Payments"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := a.Analyze(Request{Argv: []string{"/bin/orderctl", "--target=orders"}})
	if verdictOf(got) != "shared" || got.Answer.Asks != `host "orders"` {
		t.Errorf("a client of the options is judged %q, asks %s", verdictOf(got), got.Answer.Asks)
	}
	got = a.Analyze(Request{Argv: []string{"sh", "-c", "nc -z $PAYMENTS_HOST 80"}, EnvFrom: true})
	if verdictOf(got) != "shared" {
		t.Errorf("a variable with a word of the options is judged %q", verdictOf(got))
	}
}

func TestMalformedClientsAreRefused(t *testing.T) {
	tests := []struct {
		name   string
		client Client
		want   string
	}{
		{"no name", Client{Product: "X"}, `client "" must have names and a product`},
		{"a directory in the name", Client{Names: []string{"/bin/x"}, Product: "X"}, `client "/bin/x": a name must be lower case without directory and suffix, such as "x"`},
		{"an unknown role", Client{Names: []string{"x"}, Product: "X", Flags: "-h:hots"}, `client "x": flag "-h:hots" must be an option and one of the roles `},
		{"a verb without words", Client{Names: []string{"x"}, Product: "X", Verbs: []Verb{{Match: "status| "}}}, `client "x": verb "status| " must have words in each of its alternatives`},
		{"an unknown argument", Client{Names: []string{"x"}, Product: "X", Args: "url rest"}, `client "x": argument "rest" must be one of the roles `},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(Options{Clients: []Client{tt.client}})
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

func TestWhatIsAskedCounts(t *testing.T) {
	pgbouncer := Request{Image: "edoburu/pgbouncer:1.24"}
	judge(t, []probe{
		{name: "a Sentinel's quorum", script: "redis-cli -p 26379 sentinel ckquorum mymaster", want: "shared"},
		{name: "a Sentinel's ping", script: "redis-cli -p 26379 ping", want: "instance"},
		{name: "the Redis cluster, read", script: "redis-cli cluster info | grep -q cluster_state:ok", want: "shared"},
		{name: "the Redis cluster, only printed", script: "redis-cli cluster info", want: "instance"},
		{name: "the link to the master", script: "redis-cli info replication | grep -q master_link_status:up", want: "shared"},
		{name: "plain info", script: "redis-cli info server | grep -q redis_version", want: "instance"},
		{name: "RabbitMQ's ping", script: "rabbitmq-diagnostics -q ping", want: "instance"},
		{name: "RabbitMQ's status", script: "rabbitmqctl status", want: "instance"},
		{name: "RabbitMQ's node", script: "rabbitmq-diagnostics check_running -n rabbit@$HOSTNAME", want: "instance"},
		{name: "RabbitMQ's alarms everywhere", script: "rabbitmq-diagnostics check_alarms", want: "shared"},
		{name: "RabbitMQ's old check of the node", script: "rabbitmqctl node_health_check", want: "likely shared"},
		{name: "MariaDB's own check", argv: []string{"healthcheck.sh", "--connect", "--innodb_initialized"}, req: Request{Image: "mariadb:11"}, want: "instance"},
		{name: "MariaDB's check of Galera", argv: []string{"/usr/local/bin/healthcheck.sh", "--galera_online"}, req: Request{Image: "mariadb:11"}, want: "likely shared"},
		{name: "a check of that name elsewhere", argv: []string{"healthcheck.sh", "--connect"}, req: Request{Image: "shop:1"}, want: "unknown"},
		{name: "RabbitMQ's own alarms", script: "rabbitmq-diagnostics check_local_alarms", want: "likely instance readiness"},
		{name: "another node of RabbitMQ", script: "rabbitmqctl -n rabbit@mq-0.mq status", want: "shared"},
		{name: "a broker's ping through Celery", script: "celery -A shop inspect ping -d celery@$HOSTNAME", want: "shared", asks: "the Celery broker"},
		{name: "Celery as a module", argv: []string{"python3", "-m", "celery", "-A", "shop", "status"}, want: "shared"},
		{name: "Celery's version", script: "celery --version", want: "instance"},
		{name: "Airflow's jobs", script: "airflow jobs check --local", want: "shared"},
		{name: "etcd's members", script: "etcdctl endpoint health --cluster", want: "shared"},
		{name: "etcd's quorum", script: "etcdctl endpoint health", want: "likely shared"},
		{name: "etcd's own state", script: "etcdctl endpoint status", want: "instance"},
		{name: "a replica set's state", script: "mongosh --eval 'rs.status()' | grep -q PRIMARY", want: "shared"},
		{name: "a replica set's state that is thrown", script: "mongosh --eval 'if (rs.status().ok != 1) quit(1)'", want: "shared"},
		{name: "MongoDB's ping", script: `mongo --eval "db.adminCommand('ping')" | grep ok`, want: "instance"},
		{name: "MongoDB's ping on a named database", script: `mongosh admin --eval "db.adminCommand('ping')"`, want: "instance"},
		{name: "MongoDB at an address", script: `mongosh docs:27017/admin --eval "db.adminCommand('ping')"`, want: "shared"},
		{name: "Galera's members", script: "mysql -e \"SHOW STATUS LIKE 'wsrep_cluster_status'\" | grep -q Primary", want: "shared"},
		{name: "Galera's membership", script: "mysql -e \"SHOW STATUS LIKE 'wsrep_ready'\" | grep -q ON", want: "shared"},
		{name: "Galera's own state", script: "mysql -e \"SHOW STATUS LIKE 'wsrep_local_state_comment'\" | grep -q Synced", want: "likely shared"},
		{name: "a query on standard input", script: "echo \"SHOW REPLICA STATUS\" | mysql -N | grep -q Yes", want: "shared"},
		{name: "a role in replication", script: "psql -tAc 'select pg_is_in_recovery()' | grep -q f", want: "likely shared"},
		{name: "a role that nobody reads", script: "psql -c 'select pg_is_in_recovery()'", want: "instance"},
		{name: "a plain query", script: "mysql -e 'SELECT 1'", want: "instance"},
		{name: "Consul's leader", script: "consul operator raft list-peers", want: "shared"},
		{name: "Consul's own agent", script: "consul members", want: "instance"},
		{name: "Cassandra's ring, read", script: "nodetool status | grep -c DN", want: "likely shared"},
		{name: "Cassandra's own line", script: `nodetool status | grep -E "^UN\s+${POD_IP}"`, req: from("POD_IP", "fieldRef:status.podIP"), want: "instance"},
		{name: "Cassandra's ring, only printed", script: "nodetool status", want: "instance"},
		{name: "Kafka's own broker", script: "kafka-broker-api-versions.sh --bootstrap-server=localhost:9092", want: "instance"},
		{name: "Kafka's partitions", script: "kafka-topics --bootstrap-server localhost:9092 --describe --under-replicated-partitions", want: "shared"},
		{name: "Kafka's quorum", script: "kafka-metadata-quorum.sh --bootstrap-server localhost:9092 describe", want: "shared"},
		{name: "ZooKeeper's ruok", script: "echo ruok | nc localhost 2181 | grep imok", want: "process"},
		{name: "ZooKeeper's mode", script: "echo stat | nc localhost 2181 | grep Mode", want: "likely shared"},
		{name: "MinIO's quorum", script: "mc ready local", want: "shared"},
		{name: "the Kubernetes API", script: "kubectl get pods", want: "shared"},
		{name: "kubectl's version", script: "kubectl version --client", want: "instance"},
		{name: "a cloud", script: "aws s3 ls s3://orders", want: "shared", asks: "the AWS API"},
		{name: "a cloud's stand-in on loopback", script: "aws --endpoint-url http://localhost:4566 s3 ls", want: "instance"},
		{name: "the pooler alone", script: "pg_isready -h 127.0.0.1 -p 6432", req: pgbouncer, want: "instance"},
		{name: "through the pooler", script: "psql -h 127.0.0.1 -p 6432 -d orders -c 'SELECT 1'", req: pgbouncer, want: "likely shared"},
		{name: "through it by its port", script: "psql postgresql://a:b@127.0.0.1:6432/orders -c 'SELECT 1'", want: "likely shared"},
		{name: "the pooler's console", script: "psql -h 127.0.0.1 -p 6432 -d pgbouncer -c 'SHOW VERSION'", req: pgbouncer, want: "instance"},
		{name: "ProxySQL's console", script: "mysql -h 127.0.0.1 -P 6032 -e 'SELECT 1'", req: Request{Image: "proxysql/proxysql:3"}, want: "instance"},
		{name: "through ProxySQL", script: "mysql -h 127.0.0.1 -P 6033 -e 'SELECT 1'", req: Request{Image: "proxysql/proxysql:3"}, want: "likely shared"},
		{name: "Django's checks", argv: []string{"python", "manage.py", "check"}, want: "instance"},
		{name: "Django's database", argv: []string{"python", "manage.py", "check", "--database", "default"}, want: "shared"},
		{name: "Django's shell", argv: []string{"python", "manage.py", "shell", "-c", "from django.db import connection; connection.ensure_connection()"}, want: "shared"},
		{name: "Rails' database", script: "bundle exec rails db:version", want: "shared"},
		{name: "a Rails runner", script: "bin/rails runner 'ActiveRecord::Base.connection.execute(\"SELECT 1\")'", want: "likely shared"},
		{name: "Laravel's queue", argv: []string{"php", "artisan", "queue:monitor", "redis:default"}, want: "shared"},
		{name: "Laravel's version", argv: []string{"php", "artisan", "--version"}, want: "instance"},
		{name: "a Symfony query", argv: []string{"php", "bin/console", "doctrine:query:sql", "SELECT 1"}, want: "shared"},
		{name: "Sidekiq's Redis", script: "bundle exec sidekiqmon processes", want: "shared"},
		{name: "a conninfo", script: "pg_isready -d 'host=orders-db port=5432'", want: "shared"},
		{name: "a conninfo without a host", script: "pg_isready -d dbname=orders", want: "instance"},
		{name: "a URL for psql", script: "psql postgres://a:b@orders-db/x -c 'SELECT 1'", want: "shared"},
		{name: "a socket in a URL", script: "psql 'postgresql:///orders?host=/var/run/postgresql' -c 'SELECT 1'", want: "instance"},
		{name: "SQL Server's instance name", script: "sqlcmd -S localhost,1433 -Q 'SELECT 1'", want: "instance"},
		{name: "Oracle's own session", script: "echo 'select 1 from dual;' | sqlplus -s / as sysdba", want: "instance"},
		{name: "an alias of Oracle's is unknown", script: "sqlplus -s app/x@ORDERS", want: "unknown"},
		{name: "a name in the cluster's DNS", script: "nslookup kubernetes.default", want: "shared", asks: "the cluster's DNS"},
		{name: "getent", script: "getent hosts orders-db", want: "shared"},
		{name: "getent of users", script: "getent passwd app", want: "instance"},
		{name: "the own resolver", script: "dig +short @127.0.0.1 orders-db.data.svc", want: "instance"},
		{name: "another resolver", script: "dig @ns1.example.com orders", want: "shared", asks: `host "ns1.example.com"`},
		{name: "the own name by an option of dig", script: "dig +short localhost", want: "process"},
		{name: "a password that is asked for", script: "mysqladmin --password -h orders-db ping", want: "shared", asks: `host "orders-db"`},
		{name: "a query on several lines", script: "mysql -e 'SHOW\tREPLICA\nSTATUS' | grep -q Yes", want: "shared"},
		{name: "the own name", script: "getent hosts localhost", want: "process"},
		{name: "a certificate's age", script: "openssl x509 -checkend 3600 -in /tls/tls.crt", want: "instance"},
		{name: "a TLS server", script: "openssl s_client -connect idp:443 </dev/null", want: "shared"},
		{name: "socat", script: "socat -T1 - TCP4:orders-db:5432,connect-timeout=1", want: "shared"},
		{name: "the own state in Cassandra's ring", script: "nodetool status | grep UN", want: "instance"},
		{name: "waiting", script: "wait-for-it.sh db:5432 -t 3", want: "shared"},
	})
}

func TestHTTPClients(t *testing.T) {
	judge(t, []probe{
		{name: "the own livez", script: "curl -fsS http://127.0.0.1:8080/livez", want: "process"},
		{name: "without a scheme", script: "curl -f localhost:8080/livez", want: "process"},
		{name: "the own aggregate", script: "curl -fsS http://localhost:8080/actuator/health", want: "shared"},
		{name: "the own database check", script: "wget -q --spider http://localhost:8080/health/db", want: "shared"},
		{name: "the own readiness", script: "curl -fsS localhost:8080/readyz", want: "instance readiness"},
		{name: "the search cluster", script: "curl -s localhost:9200/_cluster/health | grep -q green", want: "shared"},
		{name: "its local state", script: "curl -s 'localhost:9200/_cluster/health?local=true'", want: "instance"},
		{name: "another host, whatever its path", script: "curl -f http://inventory/livez", want: "shared"},
		{name: "a socket, whatever the name", script: "curl -f --unix-socket /run/app.sock http://inventory/livez", want: "process"},
		{name: "a Host header is no target", script: "curl -f -H 'Host: shop.example.com' http://127.0.0.1:8080/livez", want: "process"},
		{name: "resolved to loopback", script: "curl -f --resolve shop.example.com:8443:127.0.0.1 https://shop.example.com:8443/livez", want: "process"},
		{name: "resolved elsewhere", script: "curl -f --resolve localhost:80:10.0.0.9 http://localhost/livez", want: "shared"},
		{name: "connected to a socket of this pod's own name", script: "curl -f --connect-to shop:443:web-0: https://shop/livez", req: Request{OwnNames: []string{"web-0"}}, want: "process"},
		{name: "connected elsewhere", script: "curl -f --connect-to ::inventory:80 http://localhost/livez", want: "shared"},
		{name: "connected to loopback", script: "curl -f --connect-to shop:443:localhost:8443 https://shop/livez", want: "process"},
		{name: "through a proxy", script: "curl -f -x http://proxy:3128 http://localhost:8080/livez", want: "shared", asks: `host "proxy"`},
		{name: "past a proxy", script: "curl --noproxy '*' -f http://localhost:8080/livez", want: "process"},
		{name: "past a proxy of this pod", script: "curl -f -x http://localhost:3128 http://inventory/livez", want: "shared", asks: `host "inventory"`},
		{name: "no URL at all", script: "curl --version", want: "instance"},
		{name: "two URLs", script: "curl -f http://localhost:8080/livez http://inventory/livez", want: "shared"},
		{name: "the URL by an option", script: "curl -f --url http://inventory/livez", want: "shared"},
		{name: "a URL with credentials", script: "curl -f http://a:b@inventory/livez", want: "shared", asks: `host "inventory"`},
		{name: "an IPv6 URL", script: "curl -f 'http://[::1]:8080/livez'", want: "process"},
		{name: "the value of an unknown option", script: "curl -f --new-option 200 http://localhost:8080/livez", want: "process"},
		{name: "a word that may be the value of one", script: "curl -f --new-option fast http://localhost:8080/livez", want: "likely shared"},
		{name: "an unknown port", script: "curl -f http://localhost:$PORT/livez", want: "process"},
		{name: "an unknown host", script: "curl -f http://$HOST/readyz", want: "unknown"},
		{name: "a host that the kubelet leaves out", argv: []string{"curl", "-f", "http://$(DB_HOST)/readyz"}, want: "unknown"},
		{name: "the readiness of a replica", script: "curl -f http://web-0.web/readyz", req: Request{OwnNames: []string{"web"}}, want: "likely shared"},
		{name: "the method of httpie", script: "http --check-status GET http://inventory/livez Accept:text/plain", want: "shared"},
		{name: "a port of httpie", script: "http :8080/livez", want: "process"},
		{name: "wget of BusyBox", argv: []string{"busybox", "wget", "-qO-", "http://inventory/"}, want: "shared"},
		{name: "gRPC", script: "grpc_health_probe -addr=:50051", want: "process"},
		{name: "gRPC elsewhere", script: "grpc_health_probe -addr=dns:///features.ml.svc:50051", want: "shared"},
		{name: "gRPC readiness", script: "grpc_health_probe -addr=127.0.0.1:50051 -service=readiness", want: "instance readiness"},
		{name: "gRPC by a socket", script: "grpc_health_probe -addr=unix:///run/app.sock", want: "process"},
		{name: "telnet by curl", script: "echo | curl -m 2 telnet://localhost:1333", want: "process"},
	})
}
