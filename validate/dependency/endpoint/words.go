package endpoint

import (
	"bytes"
	"fmt"
	"strings"
)

// class says what a word means in a path. A segment of several words has the
// classes of all of them.
type class uint16

const (
	// health words give the others their meaning: "db" in "/health/db".
	health class = 1 << iota
	// live words ask whether the process answers.
	live
	// ready words ask whether the instance is ready for traffic.
	ready
	// started words ask whether the instance has come up.
	started
	// shallow words ask for the check without the dependencies.
	shallow
	// system words name what other replicas ask too: a database, a broker.
	system
	// vague words may name that, or something inside of the process.
	vague
	// leading words name a system in front of a health word as well, where
	// others are more likely the name of the service: "/db/health".
	leading
	// choosing words take a list of checks as their value: "?check=db".
	choosing
	// filler words mean nothing: "isReady", "ready.json".
	filler
	// role words say which of several systems it is: "db-replica".
	role
	// without words turn a name round: "without-db".
	without
)

const (
	asking     = system | vague
	contextual = health | live | ready | started
)

func (c class) has(other class) bool { return c&other != 0 }

// word is an entry of the vocabulary.
type word struct {
	class class
	// asks completes "livenessProbe.httpGet asks ..." for a dependency. Words
	// for one kind of system share it.
	asks string
}

// addWord makes a word of the configuration a dependency.
func addWord(words map[string]word, s string) error {
	s = strings.ToLower(s)
	if s == "" || strings.ContainsAny(s, "/?#%;= ") {
		return fmt.Errorf("dependency word %q must be one path segment, decoded and not empty", s)
	}
	words[s] = word{class: system, asks: `"` + s + `"`}
	return nil
}

// plainWords are the words that need no text of their own.
var plainWords = [...]struct {
	class class
	words string
}{
	{health, `health healthz healthcheck healthchecks healthstatus status statusz check checks
		checkz probe probes probez monitor monitoring diagnostics diagnostic
		selftest selfcheck hc healthprobe okcomputer watchman`},
	{live, `live livez liveness livenessz liveliness livenessprobe livenesscheck
		livecheck islive alive alivez isalive healthy healthyz heartbeat ping pingz pong up isup`},
	{ready, `ready readyz readiness readinessz readyness readinessprobe readinesscheck
		readycheck isready`},
	{started, `started startedz startup startupz startupprobe startprobe startupcheck isstarted`},
	{shallow, `self local simple basic shallow minimal lite light quick process`},
	{choosing, `check checks include includes type types mode level depth probe only with
		component components target targets scope kind name`},
	{filler, `is get http https api rest json html htm php aspx ashx jsp txt xml do cgi state
		k8s kube kubernetes app application z v1 v2 v3 test endpoint connection
		connections conn connected connectivity reachable available availability access`},
	{role, `server servers service svc host master slave replica replicas secondary reader
		writer read write main pool client instance store session sessions default`},
	{without, "no non not without skip skipped exclude excluding excluded ignore ignoring except"},
}

// namedSystems are the words for one kind of system each.
var namedSystems = [...]struct {
	class class
	asks  string
	words string
}{
	{system | leading, "the database", `db dbs database databases postgres postgresql pg psql mysql
		mariadb mongo mongodb mssql sqlserver sql-server rdbms jdbc r2dbc datasource datasources sqlalchemy
		activerecord dynamodb cosmosdb couchbase couchdb cassandra scylla neo4j clickhouse
		influxdb cockroachdb timescaledb firestore bigquery rds`},
	{system | health, "the database", `dbcheck dbhealth dbhealthcheck dbstatus dbping checkdb healthdb
		databasecheck databasehealth`},
	{vague, "the database", "sql oracle migrations migration"},
	{system | leading, "Redis", "redis valkey keydb"},
	{system, "memcached", "memcached memcache"},
	{vague, asksCache, "cache caches caching"},
	{system, "the message broker", `kafka rabbitmq rabbit amqp activemq artemis jms mqtt stomp
		nats jetstream pulsar broker brokers sqs sns pubsub kinesis eventhub servicebus binders
		celery sidekiq resque`},
	{vague, "the queue", "queue queues messaging eventbus"},
	{system, "the search cluster", "elasticsearch opensearch elastic solr meilisearch typesense"},
	{vague, "the search service", "search"},
	{system, "the object store", "s3 gcs minio blobstorage objectstorage objectstore azureblob"},
	{vague, "the storage", "storage blob blobs bucket buckets filestore nfs"},
	{system, "the coordination service", "zookeeper zk etcd consul eureka"},
	{system, "Vault", "vault"},
	{system, "the directory", "ldap activedirectory kerberos"},
	{system, "the identity provider", "oidc keycloak idp"},
	{system, "the mail server", "smtp imap"},
	{vague, "the mail server", "mail mailer email"},
	{vague, "the name service", "dns"},
	{system, "the file server", "ftp sftp"},
	{system, asksOthers, `dependencies dependency deps upstream upstreams downstream
		downstreams integrations thirdparty third-party externals`},
	{vague, asksOthers, `external integration backends remote services network internet`},
	{system, asksAll, "deep"},
	{system | health, asksAll, "deepcheck deephealth deephealthcheck fullcheck"},
	{vague, asksAll, `full all detailed extended complete comprehensive thorough
		everything`},
	{vague, "the state of the cluster", `cluster quorum leader peers consensus replication
		primary`},
}

// vocabulary returns the words by their text.
func vocabulary() map[string]word {
	words := map[string]word{}
	for _, group := range plainWords {
		for text := range strings.FieldsSeq(group.words) {
			w := words[text]
			w.class |= group.class
			words[text] = w
		}
	}
	for _, group := range namedSystems {
		for text := range strings.FieldsSeq(group.words) {
			words[text] = word{class: group.class, asks: group.asks}
		}
	}
	return words
}

// meaning is what a segment means.
type meaning struct {
	class class
	word  word // the dependency that it names
	// partly is set when words that nobody knows stand in front: "orders-db".
	partly bool
}

// segmentMeaning looks a segment up, whole or by its words. A segment with one
// unknown word means nothing, "ready-to-wear" is no readiness check, unless it
// ends with the name of a system.
func (c *Classifier) segmentMeaning(a *address, s span) meaning {
	if w, ok := c.words[string(a.part(s))]; ok {
		return meaning{class: w.class, word: w}
	}
	return c.wordsMeaning(a.text[s.from:s.to], a.part(s))
}

// wordsMeaning joins the meanings of the words in a text; lower is the same
// text in lower case.
func (c *Classifier) wordsMeaning(text, lower []byte) meaning {
	var m meaning
	for from := 0; from < len(text); {
		to := nextWord(text, from)
		if to > from {
			w, ok := c.words[string(lower[from:to])]
			if !ok || w.class&^(role|without) == 0 {
				return c.systemAtEnd(text, lower)
			}
			if w.class.has(asking) && !m.word.class.has(system) {
				m.word = w
			}
			m.class |= w.class
		}
		from = to
		if from < len(text) && isSeparator(text[from]) {
			from++
		}
	}
	m.class &^= leading
	return m
}

// systemAtEnd reads a segment of which not all words are known. One that ends with
// a system most likely means one such system of several: "orders-db", "db-replica",
// "redis2". In front, the same word is rather part of another name: "redis-commander".
func (c *Classifier) systemAtEnd(text, lower []byte) meaning {
	var m meaning
	for from := 0; from < len(text); {
		to := nextWord(text, from)
		bare := bytes.TrimRight(lower[from:to], "0123456789")
		w, ok := c.words[string(lower[from:to])]
		if !ok {
			w = c.words[string(bare)]
		}
		switch {
		case w.class.has(without):
			return meaning{}
		case w.class.has(system):
			m = meaning{class: vague, word: w, partly: true}
		case len(bare) == 0, w.class.has(role | filler | vague):
			// Says which one of them.
		default:
			m = meaning{}
		}
		from = to
		if from < len(text) && isSeparator(text[from]) {
			from++
		}
	}
	return m
}

// nextWord returns the end of the word at from: a separator, or a capital after
// a small letter.
func nextWord(text []byte, from int) int {
	for i := from; i < len(text); i++ {
		if isSeparator(text[i]) {
			return i
		}
		if i > from && isUpper(text[i]) && isLower(text[i-1]) {
			return i
		}
	}
	return len(text)
}

func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }

func isLower(b byte) bool { return 'a' <= b && b <= 'z' }
