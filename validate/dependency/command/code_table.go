package command

// libraries are what inline code asks other systems with.
func libraries() []*library {
	list := []library{
		{
			language: python, imports: "celery", asks: "the Celery broker", certain: true,
			calls:  "control inspect Inspect connection broker_connection connection_for_read connection_for_write send_task delay apply_async",
			source: "https://docs.celeryq.dev/en/stable/userguide/workers.html",
		},
		{
			language: python, imports: "airflow", asks: "the Airflow metadata database", certain: true,
			calls:  "create_session most_recent_job is_alive Session provide_session check_db",
			source: "https://airflow.apache.org/docs/apache-airflow/stable/administration-and-deployment/logging-monitoring/check-health.html",
		},
		{
			language: python, imports: "django", asks: "the Django database", certain: true,
			calls:  "cursor ensure_connection objects",
			source: "https://docs.djangoproject.com/en/stable/ref/databases/",
		},
		{
			language: python, imports: "sqlalchemy", asks: "the database", calls: "connect execute begin scalar",
			source: "https://docs.sqlalchemy.org/en/20/core/engines.html",
		},
		{
			language: python, imports: "psycopg psycopg2 asyncpg pg8000", asks: "PostgreSQL", local: true,
			calls: "connect create_pool", source: "https://www.psycopg.org/docs/module.html",
		},
		{
			language: python, imports: "pymysql MySQLdb mysql aiomysql", asks: "MySQL", local: true,
			calls: "connect", source: "https://pymysql.readthedocs.io/en/latest/modules/connections.html",
		},
		{
			language: python, imports: "redis aioredis valkey", asks: "Redis", local: true,
			calls: "ping from_url Redis StrictRedis get set info", source: "https://redis.readthedocs.io/en/stable/connections.html",
		},
		{
			language: python, imports: "pymongo motor mongoengine", asks: "MongoDB", local: true,
			calls:  "MongoClient command server_info AsyncIOMotorClient connect admin",
			source: "https://pymongo.readthedocs.io/en/stable/api/pymongo/mongo_client.html",
		},
		{
			language: python, imports: "pika kombu aio_pika amqp", asks: "the message broker",
			calls:  "BlockingConnection Connection connect ensure_connection SelectConnection connect_robust",
			source: "https://pika.readthedocs.io/en/stable/modules/adapters/blocking.html",
		},
		{
			language: python, imports: "kafka confluent_kafka aiokafka", asks: "Kafka",
			calls:  "KafkaProducer KafkaConsumer KafkaAdminClient AdminClient Consumer Producer list_topics bootstrap_connected",
			source: "https://kafka-python.readthedocs.io/en/master/apidoc/KafkaConsumer.html",
		},
		{
			language: python, imports: "rq", asks: "Redis", certain: true, calls: "Worker all Queue get_current_connection",
			source: "https://python-rq.org/docs/workers/",
		},
		{
			language: python, imports: "boto3 botocore", asks: "the AWS API", certain: true, calls: "client resource Session",
			source: "https://boto3.amazonaws.com/v1/documentation/api/latest/index.html",
		},
		{
			language: python, imports: "kubernetes", asks: "the Kubernetes API", certain: true,
			calls:  "CoreV1Api AppsV1Api load_incluster_config ApiClient BatchV1Api",
			source: "https://github.com/kubernetes-client/python",
		},
		{
			language: python, imports: "elasticsearch opensearchpy", asks: "the search cluster", local: true,
			calls: "Elasticsearch OpenSearch ping info", source: "https://elasticsearch-py.readthedocs.io/en/stable/",
		},
		{
			language: javascript, imports: "redis ioredis", asks: "Redis", local: true,
			calls: "createClient connect ping Redis", source: "https://github.com/redis/node-redis",
		},
		{
			language: javascript, imports: "pg postgres mysql mysql2 mysql2/promise knex sequelize typeorm", asks: "the database",
			calls:  "connect createConnection createPool query authenticate Client Pool initialize raw",
			source: "https://node-postgres.com/apis/client",
		},
		{
			language: javascript, imports: "@prisma/client", asks: "the database", certain: true,
			calls:  "$connect $queryRaw $queryRawUnsafe findFirst findMany count",
			source: "https://www.prisma.io/docs/orm/prisma-client",
		},
		{
			language: javascript, imports: "mongodb mongoose", asks: "MongoDB", calls: "connect MongoClient createConnection",
			source: "https://mongoosejs.com/docs/connections.html",
		},
		{
			language: javascript, imports: "amqplib kafkajs bullmq bull nats", asks: "the message broker",
			calls:  "connect Kafka Queue admin producer getJobCounts",
			source: "https://amqp-node.github.io/amqplib/channel_api.html",
		},
		{
			language: ruby, imports: "redis Redis", asks: "Redis", calls: "ping new get", // without arguments it reads REDIS_URL
			source: "https://github.com/redis/redis-rb",
		},
		{
			language: ruby, imports: "sidekiq Sidekiq", asks: "Redis", certain: true,
			calls:  "ProcessSet redis Stats Queue Workers redis_info",
			source: "https://github.com/sidekiq/sidekiq/wiki/API",
		},
		{
			language: ruby, imports: "pg PG mysql2 Mysql2 ActiveRecord active_record sequel Sequel", asks: "the database",
			calls:  "connect new connection connection_pool establish_connection execute active verify ping",
			source: "https://api.rubyonrails.org/classes/ActiveRecord/ConnectionHandling.html",
		},
		{
			language: ruby, imports: "dalli Dalli", asks: "memcached", calls: "get stats alive set",
			source: "https://github.com/petergoldstein/dalli",
		},
		{
			language: ruby, imports: "mongo Mongo mongoid Mongoid", asks: "MongoDB", calls: "new command database_names ping default_client",
			source: "https://www.mongodb.com/docs/ruby-driver/current/",
		},
		{
			language: ruby, imports: "kafka Kafka rdkafka Rdkafka", asks: "Kafka", calls: "new topics producer consumer metadata",
			source: "https://github.com/zendesk/ruby-kafka",
		},
		{
			language: ruby, imports: "resque Resque", asks: "Redis", certain: true, calls: "workers info size redis queues",
			source: "https://github.com/resque/resque",
		},
		{
			language: ruby, imports: "elasticsearch Elasticsearch opensearch OpenSearch", asks: "the search cluster", calls: "new ping health cluster",
			source: "https://github.com/elastic/elasticsearch-ruby",
		},
		{
			language: ruby, imports: "aws-sdk-s3 aws-sdk-sqs aws-sdk Aws", asks: "the AWS API", certain: true, calls: "new",
			source: "https://docs.aws.amazon.com/sdk-for-ruby/v3/developer-guide/",
		},
		{
			language: ruby, imports: "bunny Bunny", asks: "the message broker", calls: "new start",
			source: "http://rubybunny.info/articles/connecting.html",
		},
		{
			language: php, imports: "Redis Predis RedisCluster", asks: "Redis", calls: "ping connect pconnect Client",
			source: "https://github.com/phpredis/phpredis",
		},
		{
			language: php, imports: "PDO mysqli", asks: "the database", calls: "PDO mysqli query real_connect",
			source: "https://www.php.net/manual/en/pdo.construct.php",
		},
		{
			language: php, imports: "DB Illuminate", asks: "the Laravel database", certain: true,
			calls: "connection select statement getPdo table", source: "https://laravel.com/docs/12.x/database",
		},
	}
	pointers := make([]*library, len(list))
	for i := range list {
		pointers[i] = &list[i]
	}
	return pointers
}
