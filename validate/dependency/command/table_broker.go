package command

const (
	kafkaDocs    = "https://kafka.apache.org/documentation/"
	kafkaInstead = "kafka-broker-api-versions.sh --bootstrap-server localhost:9092"
)

const kafkaFlags = "--bootstrap-server:host --bootstrap-servers:host --bootstrap-controller:host --broker-list:host " +
	"--zookeeper:host --command-config:value --consumer.config:value --producer.config:value --topic:value --group:value " +
	"--timeout:value --timeout-ms:value --max-messages:value --partitions:value --replication-factor:value --entity-type:value " +
	"--entity-name:value --config:value"

// brokerClients are clients of message brokers.
func brokerClients() []Client {
	return []Client{
		{
			Names:   []string{"rabbitmq-diagnostics", "rabbitmqctl", "rabbitmq-queues", "rabbitmq-upgrade", "rabbitmq-plugins"},
			Product: "RabbitMQ", Servers: "rabbitmq", Port: 5672,
			Flags: "-n:node --node:node -t:value --timeout:value -p:value --vhost:value --erlang-cookie:secret --formatter:value -l:value",
			Verbs: []Verb{
				{Match: "check_alarms|alarms", Asks: "the resource alarms of every node", Source: rabbitMonitoring},
				{
					Match: "check_local_alarms", Local: true, Readiness: true, Likely: true,
					Asks: "its own resource alarms, which a restart does not clear", Source: rabbitMonitoring,
				},
				{
					Match: "check_if_node_is_quorum_critical|check_if_node_is_mirror_sync_critical|await_online_quorum_plus_one",
					Asks:  "the quorum of the queues",
				},
				{
					Match: "node_health_check", Likely: true,
					Asks: "the channels, queues and resource alarms of the node, which a restart does not cure", Source: rabbitMonitoring,
				},
				{
					Match: "cluster_status|await_online_nodes|check_if_cluster_has_classic_queue_mirroring_policy", Likely: true,
					Asks: "every node of the RabbitMQ cluster",
				},
			},
			Heavy: "an Erlang VM", Instead: "rabbitmq-diagnostics -q ping", Source: "https://www.rabbitmq.com/docs/man/rabbitmq-diagnostics.8",
			Remote: "rabbitmq-diagnostics -n rabbit@mq-0.mq ping", Local: "rabbitmq-diagnostics -q ping",
		},
		{
			Names: []string{"rabbitmqadmin"}, Product: "RabbitMQ", Servers: "rabbitmq", Port: 15672,
			Flags: "-H:host --host:host -P:port --port:port -u:value --username:value -p:secret --password:secret -V:value --vhost:value",
			Heavy: "python", Source: "https://www.rabbitmq.com/docs/management-cli",
			Remote: "rabbitmqadmin -H mq list nodes", Local: "rabbitmqadmin list nodes",
		},
		{
			Names: []string{
				"kafka-topics", "kafka-broker-api-versions", "kafka-configs", "kafka-console-producer", "kafka-console-consumer",
				"kafka-log-dirs", "kafka-run-class", "kafka-get-offsets", "kafka-verifiable-producer", "kafka-features",
			},
			Scripts: true, Product: "Kafka", Servers: "kafka redpanda", Port: 9092, Flags: kafkaFlags, Style: LongDash, Default: DefaultNone,
			Verbs: []Verb{{
				Match: "--under-replicated-partitions|--unavailable-partitions|--under-min-isr-partitions|--at-min-isr-partitions",
				Asks:  "the partitions of every broker",
			}},
			Heavy: "a JVM", Instead: kafkaInstead, Source: kafkaDocs,
			Remote: "kafka-topics.sh --zookeeper zk:2181 --list", Local: "kafka-broker-api-versions.sh --bootstrap-server localhost:9092",
		},
		{
			Names:   []string{"kafka-consumer-groups", "kafka-metadata-quorum", "kafka-transactions", "kafka-cluster", "kafka-acls", "kafka-leader-election", "kafka-reassign-partitions"},
			Scripts: true, Product: "Kafka", Servers: "kafka redpanda", Port: 9092, Flags: kafkaFlags, Style: LongDash, Default: DefaultNone,
			Verbs: []Verb{{
				Match: "--bootstrap-server|--bootstrap-controller", Asks: "the controllers and coordinators of the Kafka cluster",
			}},
			Heavy: "a JVM", Instead: kafkaInstead, Source: kafkaDocs,
			Remote: "kafka-metadata-quorum.sh --bootstrap-server localhost:9092 describe --status",
		},
		{
			Names: []string{"zookeeper-shell"}, Scripts: true, Product: "ZooKeeper", Servers: "zookeeper kafka", Port: 2181, Args: "host word",
			Default: DefaultNone, Heavy: "a JVM", Source: kafkaDocs,
			Remote: "zookeeper-shell.sh zk:2181 ls /brokers", Local: "zookeeper-shell localhost:2181 ls /",
		},
		{
			Names: []string{"kcat", "kafkacat"}, Product: "Kafka", Servers: "kafka redpanda", Port: 9092,
			Flags: "-b:host -t:value -p:value -o:value -c:value -X:value -F:value -G:value", Default: DefaultUnknown,
			Source: "https://github.com/edenhill/kcat", Remote: "kcat -b kafka:9092 -L", Local: "kcat -b localhost:9092 -L",
		},
		{
			Names: []string{"rpk"}, Product: "Redpanda", Servers: "redpanda", Port: 9092,
			Flags:  "--brokers:host -X:value --api-urls:host --profile:value --config:value",
			Verbs:  []Verb{{Match: "cluster health|cluster info|cluster status|cluster partitions", Asks: "the whole Redpanda cluster"}},
			Source: "https://docs.redpanda.com/current/reference/rpk/rpk-cluster/rpk-cluster-health/",
			Remote: "rpk cluster health", Local: "rpk version",
		},
		{
			Names: []string{"nats"}, Product: "NATS", Servers: "nats", Port: 4222,
			Flags: "-s:url --server:url --user:value --password:secret --creds:value --timeout:value --context:value", Env: "NATS_URL",
			Verbs: []Verb{{
				Match:  "server check jetstream|server check meta|server check stream|server report|stream|consumer",
				Likely: true, Asks: "the JetStream cluster",
			}},
			Source: "https://docs.nats.io/using-nats/nats-tools/nats_cli",
			Remote: "nats server check connection -s nats://bus:4222", Local: "nats server check connection",
		},
		{
			Names: []string{"pulsar-admin"}, Product: "Pulsar", Servers: "pulsar pulsar-all", Port: 8080,
			Flags: "--admin-url:url --auth-plugin:value --auth-params:secret", Heavy: "a JVM",
			Verbs:  []Verb{{Match: "brokers healthcheck|broker-stats|clusters|tenants|namespaces|topics", Asks: "the bookies behind the broker"}},
			Source: "https://pulsar.apache.org/docs/",
			Remote: "pulsar-admin --admin-url http://broker:8080 brokers list", Local: "pulsar-admin brokers version",
		},
		{
			Names: []string{"bookkeeper"}, Product: "BookKeeper", Servers: "bookkeeper pulsar pulsar-all", Heavy: "a JVM",
			Verbs:  []Verb{{Match: "listbookies|simpletest|whatisinstanceid|metaformat", Asks: "the bookies and their metadata store"}},
			Source: "https://bookkeeper.apache.org/docs/reference/cli",
			Remote: "bookkeeper shell listbookies -rw", Local: "bookkeeper shell bookiesanity",
		},
		{
			Names: []string{"artemis", "activemq"}, Product: "ActiveMQ", Servers: "artemis activemq", Port: 61616,
			Flags: "--url:url --amqurl:url --user:value --password:secret --name:value", Style: LongDash, Heavy: "a JVM",
			Verbs:  []Verb{{Match: "check cluster|--peers|--backup", Asks: "the other brokers"}},
			Source: "https://activemq.apache.org/components/artemis/documentation/latest/",
			Remote: "artemis check node --url tcp://mq:61616", Local: "artemis check node",
		},
		{
			Names: []string{"mosquitto_sub", "mosquitto_pub", "mosquitto_rr"}, Product: "MQTT", Servers: "mosquitto emqx vernemq", Port: 1883,
			Flags:  "-h:host --host:host -p:port --port:port -t:value --topic:value -u:value --username:value -P:secret --pw:secret -C:value -W:value -i:value -m:value -q:value -L:url --url:url -E:glued",
			Source: "https://mosquitto.org/man/mosquitto_sub-1.html",
			Remote: "mosquitto_sub -h mqtt -t '$SYS/#' -C 1", Local: "mosquitto_sub -t '$SYS/#' -C 1",
		},
		{
			Names: []string{"emqx", "emqx_ctl", "vmq-admin", "ejabberdctl"}, Product: "broker", Servers: "emqx vernemq ejabberd",
			Verbs: []Verb{{Match: "cluster status|cluster show|list_cluster", Likely: true, Asks: "every node of the cluster"}}, Heavy: "an Erlang VM",
			Source: "https://docs.emqx.com/en/emqx/latest/admin/cli.html",
			Remote: "emqx ctl cluster status", Local: "emqx ping",
		},
	}
}

const rabbitMonitoring = "https://www.rabbitmq.com/docs/monitoring"
