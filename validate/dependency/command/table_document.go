package command

// documentClients are clients of databases that are not relational.
func documentClients() []Client {
	return []Client{
		{
			Names: []string{"mongosh"}, Product: "MongoDB", Servers: "mongo mongodb mongod mongos percona", Port: 27017,
			Flags: mongoFlags, Args: "mongo word", Verbs: mongoVerbs(), Heavy: "node",
			Instead: "mongosh --eval \"db.adminCommand('ping')\"", Source: "https://www.mongodb.com/docs/mongodb-shell/reference/options/",
			Remote: "mongosh mongodb://docs-0.docs:27017,docs-1.docs:27017/app --eval 'db.stats().ok'",
			Local:  "mongosh --quiet --eval \"db.adminCommand('ping')\"",
		},
		{
			Names: []string{"mongo"}, Product: "MongoDB", Servers: "mongo mongodb mongod mongos percona", Port: 27017,
			Flags: mongoFlags, Args: "mongo word", Verbs: mongoVerbs(),
			Instead: "mongo --eval \"db.adminCommand('ping')\"", Source: "https://www.mongodb.com/docs/v4.4/reference/program/mongo/",
			Remote: "mongo --host docs --eval 'db.stats()'", Local: "mongo admin --eval \"db.adminCommand('ping')\"",
		},
		{
			Names: []string{"cqlsh", "ycqlsh"}, Product: "Cassandra", Servers: "cassandra scylla scylladb dse yugabyte", Port: 9042,
			Flags: "-e:query --execute:query -u:value --username:value -p:secret --password:secret -k:value -f:value --file:value " +
				"--connect-timeout:value --request-timeout:value --cqlversion:value --cqlshrc:value --encoding:value",
			Args: "host value", Env: "CQLSH_HOST",
			Verbs: []Verb{{
				Match: "system.peers|system.peers_v2", Output: true, Likely: true, Asks: "the ring",
			}},
			Heavy: "python", Source: "https://cassandra.apache.org/doc/latest/cassandra/managing/tools/cqlsh.html",
			Remote: "cqlsh cassandra-seed 9042 -e 'DESCRIBE KEYSPACES'", Local: "cqlsh -e 'DESCRIBE KEYSPACES'",
		},
		{
			Names: []string{"nodetool"}, Product: "Cassandra", Servers: "cassandra scylla scylladb dse", Port: 7199,
			Flags: "-h:host --host:host -p:port --port:port -u:value --username:value -pw:secret --password:secret -pwf:value -pp:value",
			Verbs: []Verb{
				// JMX answers from the local node; the ring that it prints
				// counts only for whoever reads it.
				{Match: "status|ring|describecluster|gossipinfo|netstats", Output: true, Likely: true, Asks: "the ring"},
			},
			Heavy: "a JVM", Instead: "nodetool info", Source: "https://cassandra.apache.org/doc/latest/cassandra/managing/tools/nodetool/nodetool.html",
			Remote: "nodetool -h cassandra-0.cassandra status", Local: "nodetool status",
		},
		{
			Names: []string{"couchbase-cli"}, Product: "Couchbase", Servers: "couchbase", Port: 8091,
			Flags: "-c:host --cluster:host -u:value --username:value -p:secret --password:secret",
			Verbs: []Verb{{Match: "server-list|host-list|rebalance-status|failover", Asks: "the Couchbase cluster"}},
			Heavy: "python", Source: "https://docs.couchbase.com/server/current/cli/cbcli/couchbase-cli.html",
			Remote: "couchbase-cli server-info -c couchbase -u a -p b", Local: "couchbase-cli server-info -c localhost -u a -p b",
		},
		{
			Names: []string{"cypher-shell"}, Product: "Neo4j", Servers: "neo4j", Port: 7687,
			Flags: "-a:url --address:url --uri:url -u:value --username:value -p:secret --password:secret -d:value --database:value -f:value --format:value",
			Env:   "NEO4J_ADDRESS NEO4J_URI", Args: "query", Heavy: "a JVM",
			Verbs:  []Verb{{Match: "dbms.cluster.*|show servers", Output: true, Asks: "the Neo4j cluster"}},
			Source: "https://neo4j.com/docs/operations-manual/current/tools/cypher-shell/",
			Remote: "cypher-shell -a bolt://graph:7687 'RETURN 1'", Local: "cypher-shell 'RETURN 1'",
		},
		{
			Names: []string{"influx"}, Product: "InfluxDB", Servers: "influxdb influx", Port: 8086,
			Flags: "--host:url -host:url -t:secret --token:secret -o:value --org:value -port:port -execute:query",
			Style: LongDash, Env: "INFLUX_HOST", Source: "https://docs.influxdata.com/influxdb/v2/reference/cli/influx/",
			Remote: "influx ping --host http://metrics:8086", Local: "influx ping",
		},
		{
			Names: []string{"arangosh"}, Product: "ArangoDB", Servers: "arangodb arangod", Port: 8529,
			Flags: "--server.endpoint:url --server.username:value --server.password:secret --javascript.execute-string:query",
			Style: LongDash, Source: "https://docs.arangodb.com/stable/components/tools/arangodb-shell/",
			Remote: "arangosh --server.endpoint tcp://graph:8529", Local: "arangosh --server.endpoint tcp://127.0.0.1:8529",
		},
		{
			Names: []string{"solr"}, Product: "Solr", Servers: "solr", Port: 8983, Style: LongDash,
			Flags: "-z:host -zkHost:host -solrUrl:url -url:url -p:port -c:value -h:host",
			Verbs: []Verb{{Match: "healthcheck|zk", Asks: "the ZooKeeper ensemble of SolrCloud"}}, Heavy: "a JVM",
			Source: "https://solr.apache.org/guide/solr/latest/deployment-guide/solr-control-script-reference.html",
			Remote: "solr healthcheck -c orders -z zk:2181", Local: "solr status",
		},
	}
}

const mongoFlags = "--host:host --port:port -u:value --username:value -p:secret --password:secret " +
	"--authenticationDatabase:value --authenticationMechanism:value --eval:query -f:value --file:value " +
	"--tlsCAFile:value --tlsCertificateKeyFile:value --tlsCertificateKeyFilePassword:secret --sslCAFile:value " +
	"--sslPEMKeyFile:value --sslPEMKeyPassword:secret --networkMessageCompressors:value --retryWrites:value"

// mongoVerbs are what the shells of MongoDB can ask. They exit with success
// whatever is printed, so what is printed counts where it is read.
func mongoVerbs() []Verb {
	const docs = "https://www.mongodb.com/docs/manual/reference/command/"
	return []Verb{
		{
			Match:  "rs.status|rs.hello|rs.ismaster|rs.config|rs.conf|rs.printsecondaryreplicationinfo|replsetgetstatus|rs.printreplicationinfo",
			Output: true, Asks: "the replica set", Source: docs + "replSetGetStatus/",
		},
		{
			Match: "iswritableprimary|ismaster|db.hello|hello", Output: true, Asks: "its role in the replica set",
			Source: docs + "hello/",
		},
		{Match: "sh.status|listshards|getshardmap", Output: true, Asks: "the sharded cluster", Source: docs + "listShards/"},
	}
}
