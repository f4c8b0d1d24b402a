package command

import "strings"

// system is one kind of thing that workloads depend on, with the words that its
// hosts, variables, images and scripts are named after.
type system struct {
	asks  string // completes "asks ..."
	words string
	// vague words name it in a variable that holds an address. In the name of a
	// script they may as well mean the workload itself: a check of a Celery
	// worker need not ask the broker.
	vague string
}

func systems() []system {
	return []system{
		{"the database", `db dbs database databases postgres postgresql pg psql pgsql timescaledb pgvector
			mysql mysqld mariadb mariadbd percona galera mongo mongodb mongod mongos mssql sqlserver oracle cassandra scylla
			scylladb cockroach cockroachdb clickhouse couchdb couchbase neo4j influxdb arangodb rethinkdb
			rds aurora dynamodb cosmosdb cloudsql alloydb yugabyte tidb`, "jdbc datasource sql dsn"},
		{"the connection pool's database", "pgbouncer pgpool proxysql maxscale odyssey pgcat", ""},
		{"Redis", "redis valkey keydb dragonfly elasticache", "sentinel"},
		{"memcached", "memcached memcache", ""},
		{"the cache", "", "cache"},
		{"the message broker", `kafka rabbitmq rabbit amqp activemq artemis mosquitto emqx nats jetstream pulsar redpanda
			sqs sns kinesis servicebus eventhub rocketmq broker brokers`, "jms mqtt stomp pubsub celery queue mq bootstrap"},
		{"the coordination service", "zookeeper zk etcd consul", "eureka"},
		{"the search cluster", "elasticsearch elastic opensearch solr meilisearch typesense", ""},
		{"Vault", "vault openbao", ""},
		{"the object store", "s3 minio gcs blobstorage objectstore", ""},
		{"the directory", "ldap openldap slapd ldaps activedirectory kerberos kdc", ""},
		{"the identity provider", "keycloak oidc", "idp"},
		{"the mail server", "smtp imap mailserver", ""},
		{"its dependencies", "dependencies dependency deps upstream upstreams downstream backends", "backend"},
	}
}

// newVocabulary returns the words by their text, with what they name.
func newVocabulary(extra []string) vocabulary {
	v := vocabulary{all: map[string]string{}, vague: map[string]bool{}}
	for _, s := range systems() {
		for w := range strings.FieldsSeq(s.words) {
			v.all[w] = s.asks
		}
		for w := range strings.FieldsSeq(s.vague) {
			v.all[w], v.vague[w] = s.asks, true
		}
	}
	for _, w := range extra {
		w = strings.ToLower(w)
		v.all[w] = quoted(w)
	}
	return v
}

// vocabulary are the words that name systems, with what they name.
type vocabulary struct {
	all   map[string]string
	vague map[string]bool
}

// naming is what the name of a variable says about the host that it holds.
type naming uint8

const (
	namesNothing    naming = iota
	namesDependency        // $DB_HOST
	namesOther             // $MASTER_HOST: somebody else, whoever this is
)

// nameEvidence reads the name of a variable.
func (r *run) nameEvidence(name string) naming {
	found := namesNothing
	for w := range nameWords(name) {
		switch {
		case isOtherWord(w):
			return namesOther
		case r.wordSystem(w) != "":
			found = namesDependency
		}
	}
	return found
}

// wordSystem returns the system that a word of a variable's name names. Names
// such as PGHOST and REDISURL hold two words.
func (r *run) wordSystem(w string) string {
	if s := r.vocabulary.all[w]; s != "" {
		return s
	}
	for _, end := range [...]string{"host", "hosts", "url", "uri", "addr", "dsn"} {
		if head, ok := strings.CutSuffix(w, end); ok && head != "" {
			return r.vocabulary.all[head]
		}
	}
	return ""
}

// nameWords yields the words of a name in lower case.
func nameWords(name string) func(yield func(string) bool) {
	return strings.FieldsFuncSeq(strings.ToLower(name), func(c rune) bool {
		letter := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
		return !letter
	})
}

// isOtherWord tells whether a word means an instance other than this one.
func isOtherWord(w string) bool {
	switch w {
	case "master", "primary", "leader", "remote", "peer", "peers", "seed", "seeds", "upstream", "upstreams", "external":
		return true
	}
	return false
}

// isSelfName tells whether a variable is named after this pod: POD_IP, BIND_ADDR.
func isSelfName(name string) bool {
	for w := range nameWords(name) {
		switch w {
		case "pod", "podip", "podname", "self", "my", "own", "local", "localhost", "listen", "listener", "bind",
			"hostname", "advertise", "advertised", "node", "nodeip", "instance", "container", "loopback", "hostip":
			return true
		}
	}
	return false
}

// serves tells whether the server that a client is made for runs in this pod.
// It only keeps findings back, so traces of it are enough.
func (r *run) serves(c *compiled) bool {
	for _, p := range r.req.Ports {
		if c.Port != 0 && p == c.Port {
			return true
		}
	}
	return r.runs(func(w string) bool { return c.servers[w] })
}

// servesWord tells whether the system that a name names runs in this pod.
func (r *run) servesWord(name string) bool {
	for w := range nameWords(name) {
		asks := r.wordSystem(w)
		if asks != "" && r.runs(func(w string) bool { return r.vocabulary.all[w] == asks }) {
			return true
		}
	}
	return false
}

// runs tells whether the image, the container or its command is named after a
// server that match accepts.
func (r *run) runs(match func(word string) bool) bool {
	if hasWord(imageName(r.req.Image), match) || hasWord(r.req.Container, match) {
		return true
	}
	return len(r.req.CommandArgv) > 0 && hasWord(baseName(r.req.CommandArgv[0]), match)
}

// hasWord tells whether a name has such a word and is not the name of something
// that only goes with it: "redis-exporter" is no Redis.
func hasWord(name string, match func(word string) bool) bool {
	found := false
	for w := range nameWords(name) {
		if isCompanion(w) {
			return false
		}
		found = found || match(w)
	}
	return found
}

func isCompanion(word string) bool {
	switch word {
	case "exporter", "operator", "backup", "client", "ui", "consumer", "producer", "worker", "admin", "adapter",
		"connector", "migration", "migrations", "migrate", "commander", "insight", "express", "connect":
		return true
	}
	return false
}

// imageName returns the last segment of an image, without tag and digest.
func imageName(image string) string {
	image, _, _ = strings.Cut(image, "@")
	image = image[strings.LastIndexByte(image, '/')+1:]
	image, _, _ = strings.Cut(image, ":")
	return image
}

// baseName returns the last element of a path, Windows' included.
func baseName(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }
