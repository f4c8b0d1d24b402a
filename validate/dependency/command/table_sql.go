package command

const (
	pgServers    = "postgres postgresql postgis timescaledb timescale pgvector spilo cloudnative-pg crunchy supabase pg patroni repmgr"
	pgVariables  = "PGHOSTADDR PGHOST"
	mysqlServers = "mysql mysqld mariadb mariadbd percona pxc xtradb galera proxysql"
	mysqlFlags   = "-h:host --host:host -P:port --port:port -u:value --user:value -p:glued --password:glued " +
		"-S:socket --socket:socket -e:query --execute:query -D:value --database:value --protocol:value " +
		"--defaults-file:value --defaults-extra-file:value --login-path:value --connect-timeout:value " +
		"--connect_timeout:value --ssl-mode:value --ssl-ca:value --ssl-cert:value --ssl-key:value " +
		"--default-character-set:value --default-auth:value --plugin-dir:value --init-command:value --charset:value"
)

// sqlClients are clients of relational databases.
func sqlClients() []Client {
	return []Client{
		{
			Names: []string{"pg_isready"}, Product: "PostgreSQL", Servers: pgServers, Port: 5432,
			Flags: "-h:host --host:host -p:port --port:port -d:db --dbname:db -t:value --timeout:value -U:value --username:value",
			Env:   pgVariables, Source: "https://www.postgresql.org/docs/current/app-pg-isready.html",
			Remote: "pg_isready -h db -p 5432", Local: "pg_isready -U postgres",
		},
		{ //nolint:gosec // an example, of a password that is told to nobody
			Names: []string{"psql", "ysqlsh", "pg_dump", "pg_basebackup", "vacuumdb", "createdb", "pgbench"}, Product: "PostgreSQL",
			Servers: pgServers, Port: 5432,
			Flags: "-h:host --host:host -p:port --port:port -d:db --dbname:db -U:value --username:value -c:query --command:query " +
				"-f:value --file:value -v:value --set:value --variable:value -o:value -L:value -P:value --pset:value -F:value -R:value -T:value",
			Args: "db value", Env: pgVariables,
			Verbs: []Verb{
				{
					Match: "pg_stat_replication|pg_stat_wal_receiver|repmgr.nodes|pg_last_wal_replay_lsn", Output: true,
					Asks: "the state of replication", Source: "https://www.postgresql.org/docs/current/monitoring-stats.html",
				},
				{
					Match:  "pg_is_in_recovery|transaction_read_only|default_transaction_read_only|in_hot_standby",
					Output: true, Likely: true, Asks: "whether this server is the primary",
					Source: "https://www.postgresql.org/docs/current/functions-admin.html#FUNCTIONS-RECOVERY-CONTROL",
				},
				{
					Match: "show pool_nodes|pool_nodes", Asks: "the servers behind Pgpool-II",
					Source: "https://www.pgpool.net/docs/latest/en/html/sql-show-pool-nodes.html",
				},
			},
			Relays: []Relay{
				{
					Product: "PgBouncer", Images: "pgbouncer", Port: 6432, Own: "pgbouncer",
					Source: "https://www.pgbouncer.org/usage.html",
				},
				{
					Product: "Pgpool-II", Images: "pgpool pgpool2", Port: 9999, Own: "9898",
					Source: "https://www.pgpool.net/docs/latest/en/html/",
				},
				{Product: "Odyssey", Images: "odyssey", Own: "console", Source: "https://github.com/yandex/odyssey"},
				{Product: "PgCat", Images: "pgcat", Own: "pgcat pgbouncer", Source: "https://github.com/postgresml/pgcat"},
			},
			Source: "https://www.postgresql.org/docs/current/app-psql.html",
			Remote: "psql postgresql://app:secret@orders-db:5432/orders -c 'SELECT 1'", Local: "psql -U postgres -c 'SELECT 1'",
		},
		{
			Names:   []string{"pcp_node_info", "pcp_node_count", "pcp_health_check_stats", "pcp_watchdog_info"},
			Product: "Pgpool-II", Servers: "pgpool pgpool2", Port: 9898,
			Flags:   "-h:host --host:host -p:port --port:port -U:value --username:value -n:value --node-id:value",
			Default: DefaultShared, Asks: "the servers behind Pgpool-II",
			Source: "https://www.pgpool.net/docs/latest/en/html/pcp-node-info.html",
			Remote: "pcp_node_info -h pgpool -n 0",
		},
		{
			Names: []string{"healthcheck"}, Scripts: true, Images: "pgpool", Product: "Pgpool-II",
			Default: DefaultLikely, Asks: "the servers behind Pgpool-II",
			Source: "https://github.com/bitnami/containers/tree/main/bitnami/pgpool",
		},
		{
			Names: []string{"healthcheck"}, Scripts: true, Images: "mariadb", Product: "MariaDB", Servers: mysqlServers,
			Flags: "--su:value --su-mysql:value --datadir:value --defaults-file:value --defaults-extra-file:value --no-defaults:glued",
			Verbs: []Verb{
				{Match: "--galera_online|--galera_ready", Likely: true, Asks: "the Galera cluster"},
				{
					Match:  "--replication|--replication_io|--replication_sql|--replication_seconds_behind_master|--replication_all",
					Likely: true, Asks: "the state of replication",
				},
			},
			Instead: "healthcheck.sh --connect", Source: "https://mariadb.com/kb/en/using-healthcheck-sh/",
		},
		{
			Names: []string{"patronictl"}, Product: "Patroni", Flags: "-c:value --config-file:value -d:url --dcs-url:url -k:value",
			Default: DefaultShared, Asks: "the Patroni cluster",
			Verbs:  []Verb{{Match: "version|show-config", Local: true}},
			Source: "https://patroni.readthedocs.io/en/latest/patronictl.html", Remote: "patronictl list",
		},
		{
			Names: []string{"repmgr"}, Product: "repmgr", Servers: pgServers,
			Flags: "-f:value --config-file:value -h:host --host:host -p:port -d:db -U:value",
			Verbs: []Verb{
				{Match: "cluster", Asks: "the repmgr cluster"},
				{Match: "node check|node status", Output: true, Likely: true, Asks: "the state of replication"},
			},
			Source: "https://www.repmgr.org/docs/current/repmgr-cluster-show.html",
			Remote: "repmgr cluster show", Local: "repmgr node check",
		},
		{
			Names: []string{"mysqladmin", "mariadb-admin"}, Product: "MySQL", Servers: mysqlServers, Port: 3306,
			Flags: mysqlFlags + " -i:value --sleep:value -c:value --count:value -w:glued --wait:glued --shutdown-timeout:value",
			Verbs: []Verb{{
				Match: "extended-status", Output: true, Likely: true, Asks: "the state of the cluster",
			}},
			Relays: mysqlRelays(), Instead: "mysqladmin ping", Source: "https://dev.mysql.com/doc/refman/8.4/en/mysqladmin.html",
			Remote: "mysqladmin -hmysql-primary -uhealth ping", Local: "mysqladmin ping",
		},
		{
			Names: []string{"mysql", "mariadb", "mysqlcheck", "mysqldump", "mysqlshow"}, Product: "MySQL",
			Servers: mysqlServers, Port: 3306, Flags: mysqlFlags, Args: "value", Env: "MYSQL_HOST",
			Verbs: []Verb{
				{
					Match: "wsrep_cluster_*|wsrep_ready|wsrep_connected", Asks: "the Galera cluster", Output: true,
					Source: "https://galeracluster.com/library/documentation/monitoring-cluster.html",
				},
				{
					Match: "wsrep_*|mysql.wsrep_*", Likely: true, Asks: "the Galera cluster",
					Source: "https://galeracluster.com/library/documentation/monitoring-cluster.html",
				},
				{
					Match:  "show slave status|show replica status|show all slaves status|replication_connection_status|seconds_behind_*",
					Output: true, Asks: "the state of replication",
					Source: "https://dev.mysql.com/doc/refman/8.4/en/show-replica-status.html",
				},
				{
					Match: "replication_group_members|replication_group_member_stats", Output: true, Asks: "the replication group",
					Source: "https://dev.mysql.com/doc/refman/8.4/en/group-replication-monitoring.html",
				},
			},
			Relays: mysqlRelays(), Instead: "mysqladmin ping", Source: "https://dev.mysql.com/doc/refman/8.4/en/mysql-command-options.html",
			Remote: "mysql -h db -e 'SELECT 1'", Local: "mysql -h 127.0.0.1 -e 'SELECT 1'",
		},
		{
			Names: []string{"mysqlsh"}, Product: "MySQL", Servers: mysqlServers, Port: 3306, Style: LongDash,
			Flags: "-uri:host -h:host -host:host -P:port -port:port -u:value -user:value -p:glued -password:glued -S:socket -socket:socket -e:query -execute:query -D:value -schema:value -f:value -file:value",
			Args:  "host value",
			Verbs: []Verb{{
				Match: "dba.getcluster*|dba.getreplicaset*|dba.getclusterset*|cluster.status*|cluster status|replication_group_members", Asks: "the InnoDB cluster",
				Source: "https://dev.mysql.com/doc/mysql-shell/8.4/en/monitoring-innodb-cluster.html",
			}},
			Source: "https://dev.mysql.com/doc/mysql-shell/8.4/en/mysqlsh.html",
			Remote: "mysqlsh root@orders-db:3306 --sql -e 'SELECT 1'", Local: "mysqlsh --uri root@localhost --sql -e 'SELECT 1'",
		},
		{
			Names: []string{"tsql", "fisql", "bsqldb"}, Product: "SQL Server", Servers: "mssql sqlserver sqlservr", Port: 1433,
			Flags: "-S:mssql -H:host -p:port -U:value -P:secret -D:value", Default: DefaultNone,
			Source: "https://www.freetds.org/userguide/usefreetds.html", Remote: "tsql -H sql01 -p 1433 -U app", Local: "tsql -H localhost -p 1433 -U app",
		},
		{
			Names: []string{"tnsping"}, Product: "Oracle Database", Servers: "oracle oracledb", Port: 1521, Default: DefaultLikely, Asks: "the database behind a net service name",
			Source: "https://docs.oracle.com/en/database/oracle/oracle-database/19/netag/", Remote: "tnsping orders", Local: "",
		},
		{
			Names: []string{"flyway", "liquibase", "sqitch", "dbmate", "goose", "atlas"}, Product: "database", Default: DefaultLikely, Asks: "the application's database",
			Flags:  "-url:url --url:url -u:url --database-url:url --changelog-file:value -configFiles:value --defaults-file:value",
			Verbs:  []Verb{{Match: "--version|version|-v|help|--help|validate", Local: true}},
			Source: "https://documentation.red-gate.com/flyway/reference/commands/info", Remote: "flyway info", Local: "flyway version",
		},
		{
			Names: []string{"pg_autoctl"}, Product: "pg_auto_failover", Flags: "--pgdata:value --monitor:url", Verbs: []Verb{
				{Match: "show state|show events|show standby-names|show uri", Asks: "the monitor of pg_auto_failover"},
			},
			Source: "https://pg-auto-failover.readthedocs.io/en/main/ref/pg_autoctl_show_state.html", Remote: "pg_autoctl show state", Local: "pg_autoctl status",
		},
		{
			Names: []string{"sqlcmd", "bcp"}, Product: "SQL Server", Servers: "mssql sqlserver sqlservr", Port: 1433,
			Flags: "-S:mssql -U:value -P:secret -Q:query -q:query -d:value -l:value -t:value -i:value -o:value -h:value -s:value -w:value -y:value -K:value",
			Args:  "value", Env: "SQLCMDSERVER",
			Verbs: []Verb{{
				Match: "dm_hadr_availability_*|dm_hadr_database_replica_*", Output: true, Asks: "the availability group",
			}},
			Source: "https://learn.microsoft.com/en-us/sql/tools/sqlcmd/sqlcmd-utility",
			Remote: "sqlcmd -S tcp:sql01,1433 -Q 'SELECT 1'", Local: "sqlcmd -S localhost -Q 'SELECT 1'",
		},
		{
			Names: []string{"sqlplus", "sql"}, Product: "Oracle Database", Servers: "oracle oracledb", Port: 1521,
			Flags: "-c:value -m:value -r:value", Args: "oracle word",
			Source: "https://docs.oracle.com/en/database/oracle/oracle-database/19/sqpug/starting-SQL-Plus.html",
			Remote: "sqlplus -s app/secret@//orders-db:1521/orders", Local: "sqlplus -s / as sysdba",
		},
		{
			Names: []string{"clickhouse-client", "clickhouse"}, Product: "ClickHouse", Servers: "clickhouse", Port: 9000,
			Flags: "-h:host --host:host --port:port -u:value --user:value --password:secret -q:query --query:query -d:value --database:value --secure:glued",
			Env:   "CLICKHOUSE_HOST",
			Verbs: []Verb{
				{
					Match: "system.zookeeper|system.zookeeper_connection|on cluster|clusterallreplicas(|cluster(", Asks: "the whole cluster",
					Source: "https://clickhouse.com/docs/operations/system-tables/zookeeper",
				},
				{
					Match: "system.replicas|is_readonly|system.replication_queue", Output: true, Likely: true,
					Asks: "the state of replication", Source: "https://clickhouse.com/docs/operations/system-tables/replicas",
				},
			},
			Source: "https://clickhouse.com/docs/interfaces/cli",
			Remote: "clickhouse-client --host analytics -q 'SELECT 1'", Local: "clickhouse-client -q 'SELECT 1'",
		},
		{
			Names: []string{"cockroach"}, Product: "CockroachDB", Servers: "cockroach cockroachdb", Port: 26257,
			Flags:  "--host:host --url:url -e:query --execute:query --certs-dir:value -u:value --user:value -d:value -p:port --port:port",
			Env:    "COCKROACH_URL COCKROACH_HOST",
			Verbs:  []Verb{{Match: "node status|node ls", Asks: "every node of the cluster"}, {Match: "version|demo", Local: true}},
			Source: "https://www.cockroachlabs.com/docs/stable/cockroach-node",
			Remote: "cockroach sql --host=orders-db -e 'SELECT 1'", Local: "cockroach sql --insecure -e 'SELECT 1'",
		},
	}
}

// mysqlRelays are proxies that speak MySQL's protocol.
func mysqlRelays() []Relay {
	return []Relay{
		{Product: "ProxySQL", Images: "proxysql", Port: 6033, Own: "6032", Source: "https://proxysql.com/documentation/"},
		{Product: "MaxScale", Images: "maxscale", Port: 4006, Source: "https://github.com/mariadb-corporation/MaxScale"},
		{Product: "MySQL Router", Images: "router", Port: 6446, Source: "https://dev.mysql.com/doc/mysql-router/8.4/en/"},
	}
}
