package command

import (
	"strings"
	"testing"
)

// TestEachWordMeansWhatItMeans lists the words again: none may go unnoticed.
func TestEachWordMeansWhatItMeans(t *testing.T) {
	r := &run{Analyzer: standard(), req: &Request{}}
	for _, c := range []struct {
		name  string
		means func(word string) bool
		words string
	}{
		{"isOtherWord", isOtherWord, `master primary leader remote peer peers seed seeds upstream upstreams external`},
		{"isSelfName", isSelfName, `pod podip podname self my own local localhost listen listener bind hostname advertise advertised
			node nodeip instance container loopback hostip`},
		{"isCompanion", isCompanion, `exporter operator backup client ui consumer producer worker admin adapter connector migration
			migrations migrate commander insight express connect`},
		{"holdsAddress", holdsAddress, `host hosts url uri addr address addresses server servers endpoint endpoints dsn connection broker
			brokers bootstrap conn`},
		{"isHostFlag", isHostFlag, `host hostname server addr address endpoint endpoints broker brokers url uri db-host dbhost
			database-host redis-host redis-url database-url db-url dsn database bootstrap-server
			bootstrap-servers server-address server-addr connect target peer upstream`},
		{"isServerScheme", isServerScheme, `postgres postgresql pgsql mysql mysqlx mariadb mongodb redis rediss valkey amqp amqps kafka nats tls
			tcp udp ldap ldaps smtp smtps memcached memcache clickhouse cassandra sqlserver mssql oracle
			elasticsearch etcd zk zookeeper mqtt mqtts bolt neo4j neo4js grpc grpcs dns couchbase couchbases
			influxdb cockroachdb pulsar stomp ftp sftp ssh thrift hive2 trino`},
		{"hostKeyword", isHostKeyword, `host hostname bootstrap_servers bootstrapServers brokers broker_url conninfo PeerAddr PeerHost
			contact_points endpoint_url redis_url dsn server servers addr address hosts broker url uri
			connectionString nodes baseURL base_url`},
		{"isWebScheme", isWebScheme, `http https ws wss`},
		{"isStatementWord", isStatementWord, `if unless while until and or not do then else elsif case when in begin rescue ensure end def class
			module return yield next break self nil true false my our local foreach for die sub eq ne x lt gt
			use no`},
		{"isIterator", isIterator, `each all any map every some forEach each_with_index find select none`},
		{"isProtocol", isProtocol, `tcp tcp4 tcp6 udp udp4 udp6 tcp-connect openssl ssl sctp np lpc admin`},
		{"isConnecting", isConnecting, `fsockopen pfsockopen stream_socket_client create_connection connect connect_ex createConnection
			gethostbyname gethostbyname_ex getaddrinfo dns_get_record checkdnsrr Redis StrictRedis RedisCluster
			Sentinel MongoClient AsyncIOMotorClient KafkaProducer KafkaConsumer KafkaAdminClient AdminClient
			HTTPConnection HTTPSConnection BlockingConnection ConnectionParameters Elasticsearch OpenSearch
			TCPSocket UDPSocket mysqli mysqli_connect pg_connect pconnect PDO Cluster Minio Connection
			URLParameters insecure_channel secure_channel IMAP4 SMTP FTP createClient from_url addServer`},
		{"asksURL", asksURL, `urlopen fetch file_get_contents curl_init get_response Request urlretrieve`},
		{"isMethod", isMethod, `GET HEAD POST PUT DELETE OPTIONS PATCH`},
		{"isFileScheme", isFileScheme, `unix unixs file ipc sqlite sqlite3 socket local npipe fd`},
		{"isResolverScheme", isResolverScheme, `dns passthrough ipv4 ipv6 xds static`},
		{"checks of a script's name", func(w string) bool { return r.nameTraits(w).checks }, `check checks ping test probe health healthcheck
			healthz healthy connection connect connectivity alive status verify wait waitfor monitor is available live liveness livez
			livenessprobe ready readiness readyz readinessprobe readycheck`},
		{"live of a script's name", func(w string) bool { return r.nameTraits(w).live }, `live liveness livez livenessprobe`},
		{"ready of a script's name", func(w string) bool { return r.nameTraits(w).ready }, `ready readiness readyz readinessprobe readycheck`},
		{"local of a script's name", func(w string) bool { return r.nameTraits(w).local }, `local localhost self own`},
		{"process of a script's name", func(w string) bool { return r.nameTraits(w).process }, `process processes pid proc file disk exporter
			sync backup worker workers consumer consumers producer producers`},
		{"other of a script's name", func(w string) bool { return r.nameTraits(w).other }, `master primary leader upstream remote peers quorum`},
		{"prefixes of Python's strings", func(w string) bool {
			a := Analyze(Request{Argv: py("h = 'orders-db'; requests.get(" + w + "'http://{h}/x')")})
			return a.Answer.Asks == `host "orders-db"`
		}, `f fr rf F Rf`},
		{"classes of Ruby that connect", func(w string) bool { return asksFar(rb(w + ".new('orders-db:80')")) }, `HTTP Kafka Rdkafka Bunny Ping TCPSocket`},
		{"classes of Ruby's modules that connect", func(w string) bool { return asksFar(rb("X::" + w + ".new('orders-db:80')")) }, `Client TCP ICMP`},
		{"requests of Net::HTTP", func(w string) bool { return asksFar(rb("Net::HTTP." + w + "('orders-db', '/livez')")) }, `get get_response get_print head`},
		{"look-ups of Resolv", func(w string) bool { return asksFar(rb("Resolv." + w + "('orders-db')")) }, `getaddress getaddresses each_address getaddrinfo`},
		{"pings of PG::Connection", func(w string) bool { return asksFar(rb("PG::Connection." + w + "('host=orders-db')")) }, `ping connect_start`},
		{"shells", func(w string) bool { return asksFar([]string{w, "-c", "pg_isready -h orders-db"}) }, `sh bash dash ash ksh mksh zsh rbash
			oksh hush lksh bash.sh`},
		{
			"what a shell does by itself", func(w string) bool {
				return verdictOf(Analyze(Request{Argv: []string{"sh", "-c", w + " x"}})) == "process"
			},
			`true : false exit return trap wait cd umask ulimit alias hash break continue shopt getopts enable jobs bg fg disown times
			type sleep`,
		},
		{"what never fails", func(w string) bool {
			return verdictOf(Analyze(Request{Argv: []string{"sh", "-c", "nc -z db 80 || " + w + " x"}})) == "process"
		}, `true : echo printf set unset trap shift umask alias sleep`},
		{"filters", func(w string) bool {
			script := "nc -z $(echo $DATABASE_URL | " + w + " x) 80"
			return verdictOf(Analyze(Request{Argv: []string{"sh", "-c", script}, EnvFrom: true})) == "shared"
		}, `cat awk gawk head tail grep egrep sed cut tr sort tee uniq rev`},
		{
			"spawners", func(w string) bool { return asksFar(js(w + "('pg_isready -h orders-db')")) },
			`system popen shell_exec passthru getoutput getstatusoutput execSync proc_open capture2 capture2e capture3
			check_output check_call Popen execFileSync execFile spawnSync spawn`,
		},
		{"isLoopbackName", isLoopbackName, `localhost localhost.localdomain localhost4 localhost6 ip6-localhost ip6-loopback loopback 0 * .
			(local)`},
	} {
		for word := range strings.FieldsSeq(c.words) {
			if !c.means(word) {
				t.Errorf("%s does not know %q", c.name, word)
			}
		}
		if c.means("other") {
			t.Errorf("%s takes any word", c.name)
		}
	}
}

func asksFar(argv []string) bool { return verdictOf(Analyze(Request{Argv: argv})) == "shared" }

func isHostKeyword(word string) bool {
	_, ok := hostKeyword(word)
	return ok
}
