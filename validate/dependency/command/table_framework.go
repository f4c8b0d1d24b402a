package command

// frameworkClients are consoles of applications: they ask what the application
// is configured with.
func frameworkClients() []Client {
	return []Client{
		{
			Names: []string{"celery"}, Product: "Celery worker",
			Flags: "-A:value --app:value -b:url --broker:url --result-backend:value --loader:value --config:value --workdir:value " +
				"-t:value --timeout:value -d:value --destination:value -Q:value -n:value --hostname:value -C:glued",
			// The ping of one worker, too, goes through the broker.
			Default: DefaultShared, Asks: "the Celery broker", Heavy: "python",
			Verbs:  []Verb{{Match: "--version|--help|report", Local: true}},
			Source: "https://docs.celeryq.dev/en/stable/userguide/monitoring.html",
			Remote: "celery -A shop inspect ping -d celery@$HOSTNAME", Local: "celery --version",
		},
		{
			Names: []string{"airflow"}, Product: "Airflow", Flags: "--job-type:value --hostname:value --limit:value -o:value --output:value",
			Default: DefaultShared, Asks: "the Airflow metadata database", Heavy: "python",
			Verbs:  []Verb{{Match: "version|config|cheat-sheet|--help|info|plugins|providers", Local: true}},
			Source: "https://airflow.apache.org/docs/apache-airflow/stable/administration-and-deployment/logging-monitoring/check-health.html",
			Remote: "airflow jobs check --job-type SchedulerJob --hostname $(hostname)", Local: "airflow version",
		},
		{
			Names: []string{"manage.py", "django-admin"}, Product: "Django application",
			Flags:   "--settings:value --pythonpath:value --database:value --tag:value -t:value -c:code --command:code -v:value --verbosity:value --deploy:glued",
			Default: DefaultUnknown, Heavy: "python",
			Verbs: []Verb{
				{
					Match: "check --database|--database", Asks: "the Django database",
					Source: "https://docs.djangoproject.com/en/stable/ref/django-admin/#cmdoption-check-database",
				},
				{
					Match: "migrate|showmigrations|dbshell|inspectdb|sqlmigrate|wait_for_db|check_db|check_database|wait_for_database",
					Asks:  "the Django database",
				},
				{Match: "health_check", Asks: "every check of django-health-check", Source: "https://github.com/codingjoe/django-health-check"},
				{Match: "rqstats|rqenqueue|celery*", Asks: "the queue"},
				{Match: "dumpdata|loaddata", Likely: true, Asks: "the Django database"},
				{Match: "check|diffsettings|version|--version|help|findstatic|collectstatic|compilemessages", Local: true},
			},
			Source: "https://docs.djangoproject.com/en/stable/ref/django-admin/",
			Remote: "manage.py check --database default", Local: "manage.py check",
		},
		{
			Names: []string{"flask"}, Product: "Flask application", Flags: "-A:value --app:value -e:value --env-file:value", Default: DefaultUnknown, Heavy: "python",
			Verbs: []Verb{
				{
					Match: "db current|db check|db upgrade|db show", Asks: "the Flask application's database",
					Source: "https://flask-migrate.readthedocs.io/en/latest/",
				},
				{Match: "shell", Likely: true, Asks: "the Flask application's database"},
				{Match: "routes|--version|--help", Local: true},
			},
			Source: "https://flask.palletsprojects.com/en/stable/cli/", Remote: "flask db current", Local: "flask routes",
		},
		{
			Names: []string{"alembic"}, Product: "Alembic", Flags: "-c:value --config:value -n:value -x:value", Default: DefaultUnknown, Heavy: "python",
			Verbs:  []Verb{{Match: "current|check|upgrade", Asks: "the database"}, {Match: "heads|history|branches|show", Local: true}},
			Source: "https://alembic.sqlalchemy.org/en/latest/tutorial.html", Remote: "alembic current", Local: "alembic heads",
		},
		{
			Names: []string{"rq", "rqinfo"}, Product: "RQ", Flags: "-u:url --url:url -c:value --config:value -P:value -i:value --interval:value", Env: "RQ_REDIS_URL",
			Default: DefaultShared, Asks: "the Redis of RQ", Verbs: []Verb{{Match: "--version|--help", Local: true}}, Heavy: "python",
			Source: "https://python-rq.org/docs/monitoring/", Remote: "rq info --url redis://queue:6379", Local: "rq --version",
		},
		{
			Names: []string{"arq", "saq"}, Product: "worker", Flags: "--workers:value", Default: DefaultUnknown, Heavy: "python",
			Verbs:  []Verb{{Match: "--check", Asks: "Redis, where the worker keeps its health"}, {Match: "--version|--help", Local: true}},
			Source: "https://arq-docs.helpmanual.io/", Remote: "arq app.worker.Settings --check", Local: "arq --version",
		},
		{
			Names: []string{"procrastinate"}, Product: "Procrastinate", Flags: "-a:value --app:value", Default: DefaultUnknown, Heavy: "python",
			Verbs:  []Verb{{Match: "healthchecks", Asks: "the database of Procrastinate"}, {Match: "--version", Local: true}},
			Source: "https://procrastinate.readthedocs.io/en/stable/", Remote: "procrastinate -a app.queue healthchecks", Local: "procrastinate --version",
		},
		{
			Names: []string{"dagster-daemon", "dagster"}, Product: "Dagster", Flags: "-w:value -f:value -m:value -h:host --host:host -p:port --port:port --grpc-host:host", Heavy: "python",
			Default: DefaultUnknown,
			Verbs: []Verb{
				{Match: "liveness-check", Asks: "the database of Dagster"},
				{Match: "api grpc-health-check", Local: true},
				{Match: "--version", Local: true},
			},
			Source: "https://docs.dagster.io/deployment/execution/dagster-daemon", Remote: "dagster-daemon liveness-check", Local: "dagster api grpc-health-check -p 3030",
		},
		{
			Names: []string{"sentry"}, Product: "Sentry", Flags: "-c:code --config:value", Default: DefaultUnknown, Heavy: "python",
			Verbs:  []Verb{{Match: "queues", Asks: "the broker of Sentry"}, {Match: "--version", Local: true}},
			Source: "https://github.com/getsentry/sentry", Remote: "sentry exec -c 'from sentry.celery import app; app.control.ping()'", Local: "sentry --version",
		},
		{
			Names: []string{"rails", "gitlab-rails"}, Product: "Rails application", Flags: "-e:value --environment:value", Args: "word code",
			Default: DefaultLikely, Asks: "the Rails application's database", Heavy: "ruby",
			Verbs: []Verb{
				{Match: "db:*", Asks: "the Rails application's database"},
				{Match: "routes|about|-v|--version|middleware|zeitwerk:check|stats|notes|time:zones:all", Local: true},
			},
			Source: "https://guides.rubyonrails.org/command_line.html", Remote: "rails db:version", Local: "rails routes",
		},
		{
			Names: []string{"rake", "gitlab-rake"}, Product: "Ruby application", Default: DefaultUnknown, Heavy: "ruby",
			Verbs: []Verb{
				{Match: "db:*|jobs:check|gitlab:check|gitlab:db:*|sidekiq:*|resque:*", Asks: "the application's database"},
				{Match: "-T|--tasks|--version", Local: true},
			},
			Source: "https://guides.rubyonrails.org/command_line.html", Remote: "rake db:migrate:status", Local: "rake --tasks",
		},
		{
			Names: []string{"sidekiqmon"}, Product: "Sidekiq", Env: "REDIS_URL", Default: DefaultShared, Asks: "the Redis of Sidekiq", Heavy: "ruby",
			Verbs: []Verb{{Match: "version", Local: true}}, Source: "https://github.com/sidekiq/sidekiq/wiki/Monitoring",
			Remote: "sidekiqmon processes", Local: "sidekiqmon version",
		},
		{
			Names: []string{"artisan"}, Product: "Laravel application", Flags: "--env:value --execute:code --max:value --path:value", Default: DefaultUnknown, Heavy: "php",
			Verbs: []Verb{
				{Match: "db:*|migrate*|schema:*", Asks: "the Laravel database", Source: "https://laravel.com/docs/12.x/database"},
				{Match: "queue:monitor|queue:size|queue:failed|queue:retry", Asks: "the queue of Laravel", Source: "https://laravel.com/docs/12.x/queues"},
				{Match: "horizon*", Asks: "the Redis of Horizon", Source: "https://laravel.com/docs/12.x/horizon"},
				{Match: "tinker", Likely: true, Asks: "the Laravel database"},
				{Match: "about|env|--version|list|route:*|config:*|view:*|octane:status|schedule:list", Local: true},
			},
			Source: "https://laravel.com/docs/12.x/artisan", Remote: "artisan horizon:status", Local: "artisan --version",
		},
		{
			Names: []string{"console"}, Product: "Symfony application", Flags: "-e:value --env:value", Default: DefaultUnknown, Heavy: "php",
			Verbs: []Verb{
				{Match: "doctrine:*|dbal:*", Asks: "the Symfony application's database"},
				{Match: "messenger:stats|messenger:failed:*", Asks: "the transports of Symfony Messenger"},
				{Match: "about|lint:*|debug:*|list|--version|cache:*", Local: true},
			},
			Source: "https://symfony.com/doc/current/messenger.html", Remote: "console doctrine:query:sql 'SELECT 1'", Local: "console about",
		},
		{
			Names: []string{"wp"}, Product: "WordPress", Flags: "--path:value --url:value --user:value", Default: DefaultLikely, Asks: "the WordPress database", Heavy: "php",
			Verbs:  []Verb{{Match: "db *|core is-installed|option *", Asks: "the WordPress database"}, {Match: "cli *|core version|core verify-checksums|--info", Local: true}},
			Source: "https://developer.wordpress.org/cli/commands/db/check/", Remote: "wp db check", Local: "wp core version",
		},
		{
			Names: []string{"drush", "occ", "magento", "n98-magerun2"}, Product: "application", Flags: "-r:value --root:value -l:value --uri:value",
			Default: DefaultLikely, Asks: "the application's database", Heavy: "php",
			Verbs:  []Verb{{Match: "sql*|sqlq|db:*|setup:db:status|indexer:status", Asks: "the application's database"}, {Match: "version|--version|list", Local: true}},
			Source: "https://www.drush.org/latest/commands/all/", Remote: "drush sql:query 'SELECT 1'", Local: "drush version",
		},
		{
			Names: []string{"prisma", "sequelize", "sequelize-cli", "knex", "typeorm", "drizzle-kit", "node-pg-migrate"}, Product: "application", Flags: "--schema:value --env:value --config:value",
			Default: DefaultUnknown, Heavy: "node",
			Verbs: []Verb{
				{Match: "migrate*|migration*|db|db:*|introspect", Asks: "the application's database"},
				{Match: "--version|version|validate|generate|format", Local: true},
			},
			Source: "https://www.prisma.io/docs/orm/reference/prisma-cli-reference", Remote: "prisma migrate status", Local: "prisma validate",
		},
		{
			Names: []string{"superset"}, Product: "Superset", Default: DefaultUnknown, Heavy: "python",
			Verbs: []Verb{
				{Match: "db current|db check|db upgrade|db heads", Asks: "the Superset metadata database"},
				{Match: "version|--version|routes", Local: true},
			},
			Source: "https://superset.apache.org/docs/configuration/configuring-superset/", Remote: "superset db current", Local: "superset version",
		},
		{
			Names: []string{"mix"}, Product: "application", Default: DefaultUnknown, Heavy: "an Erlang VM",
			Verbs:  []Verb{{Match: "ecto.*", Asks: "the application's database"}, {Match: "--version|help|compile", Local: true}},
			Source: "https://hexdocs.pm/ecto_sql/Mix.Tasks.Ecto.Migrations.html", Remote: "mix ecto.migrations", Local: "mix help",
		},
		{
			Names: []string{"dotnet-ef"}, Product: "application", Default: DefaultUnknown, Heavy: ".NET", Flags: "--project:value --context:value",
			Verbs:  []Verb{{Match: "migrations list|database update|migrations has-pending-model-changes", Asks: "the application's database"}, {Match: "--version|--help", Local: true}},
			Source: "https://learn.microsoft.com/en-us/ef/core/cli/dotnet", Remote: "dotnet-ef migrations list", Local: "dotnet-ef --version",
		},
		{
			Names: []string{"pumactl", "uwsgi", "gunicorn", "uwsgitop"}, Product: "application server", Default: DefaultUnknown, Flags: "-C:url --control-url:url -T:secret --control-token:secret -S:value",
			Source: "https://github.com/puma/puma", Local: "pumactl -C unix:///run/puma.sock status",
		},
	}
}

// waitClients are tools that wait until an address answers.
func waitClients() []Client {
	return []Client{
		{
			Names: []string{"wait-for-it", "wait-for", "waitforit", "wait_for_it", "wait-port", "waitport"}, Scripts: true, Product: "server", Protocol: TCP,
			Flags: "-h:host --host:host -p:port --port:port -t:value --timeout:value -w:value", Args: "host stop", Default: DefaultNone,
			Source: "https://github.com/vishnubob/wait-for-it", Remote: "wait-for-it.sh orders-db:5432 -t 3", Local: "wait-for-it.sh localhost:8080 -t 3",
		},
		{
			Names: []string{"dockerize"}, Product: "server", Protocol: TCP, Style: LongDash, Flags: "-wait:url -timeout:value -template:value -stdout:value -stderr:value", Args: "stop",
			Default: DefaultNone, Source: "https://github.com/jwilder/dockerize", Remote: "dockerize -wait tcp://orders-db:5432 -timeout 3s", Local: "dockerize -wait tcp://localhost:8080",
		},
		{
			Names: []string{"wait4x"}, Product: "server", Protocol: TCP, Flags: "-t:value --timeout:value -i:value --interval:value", Args: "value url", Default: DefaultNone,
			Source: "https://github.com/wait4x/wait4x", Remote: "wait4x tcp orders-db:5432", Local: "wait4x http http://localhost:8080/livez",
		},
		{
			Names: []string{"cub"}, Product: "Kafka", Args: "value host stop", Flags: "-b:host -z:host -c:value", Default: DefaultNone, Heavy: "python",
			Source: "https://github.com/confluentinc/confluent-docker-utils", Remote: "cub zk-ready zk:2181 10", Local: "cub zk-ready localhost:2181 10",
		},
	}
}
