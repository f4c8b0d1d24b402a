package endpoint

import "github.com/probity-dev/probity/validate/dependency"

// analyticsEntries process and show data.
func analyticsEntries() []Entry {
	const (
		airflow     = "https://airflow.apache.org/docs/apache-airflow/stable/administration-and-deployment/logging-monitoring/check-health.html"
		airflowAsks = "this web server, whose status code says nothing of the database"
		superset    = "https://github.com/apache/superset/blob/master/superset/views/health.py"
		metabase    = "https://github.com/metabase/metabase/blob/master/src/metabase/server/routes.clj"
		posthog     = "https://github.com/PostHog/posthog/blob/master/posthog/health.py"
		druid       = "https://druid.apache.org/docs/latest/api-reference/service-status-api/"
	)
	return []Entry{
		{
			Product: "Airflow scheduler",
			Path:    "/health",
			Ports:   []string{"8974"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the metadata database for the heartbeat of the scheduler",
			Source:  "https://github.com/apache/airflow/blob/v2-11-stable/airflow/utils/scheduler_health.py",
		},
		{
			Product: "Airflow",
			Path:    "/health",
			Images:  []string{"airflow", "airflow-dags"},
			Scope:   dependency.Process,
			Asks:    airflowAsks,
			Source:  airflow,
		},
		{
			Product: "Airflow",
			Path:    "/api/v2/monitor/health",
			Scope:   dependency.Process,
			Asks:    airflowAsks,
			Source:  airflow,
		},
		{
			Product: "Airflow",
			Path:    "/api/v1/health",
			Images:  []string{"airflow"},
			Scope:   dependency.Process,
			Asks:    airflowAsks,
			Source:  airflow,
		},
		{
			Product: "Superset",
			Path:    "/health",
			Images:  []string{"superset"},
			Scope:   dependency.Process,
			Asks:    "a fixed answer",
			Source:  superset,
		},
		{
			Product: "Metabase",
			Path:    "/api/health",
			Images:  []string{"metabase"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the application database of Metabase",
			Instead: "/livez",
			Source:  metabase,
		},
		{
			Product: "PostHog",
			Path:    "/_livez",
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  posthog,
		},
		{
			Product:   "PostHog",
			Path:      "/_readyz",
			Images:    []string{"posthog"},
			Scope:     dependency.Shared,
			Readiness: true,
			Asks:      "PostgreSQL, Redis, Kafka and ClickHouse by the role of this process",
			Instead:   "/_livez",
			Source:    posthog,
		},
		{
			Product: "PostHog",
			Path:    "/_health",
			Images:  []string{"posthog"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the database and its migrations",
			Instead: "/_livez",
			Source:  "https://github.com/PostHog/posthog/blob/master/posthog/views.py",
		},
		{
			Product: "Apache Druid",
			Path:    "/status/health",
			Scope:   dependency.Process,
			Asks:    "whether this process is up, always true",
			Source:  druid,
		},
		{
			Product:   "Apache Druid",
			Path:      "/status/selfdiscovered",
			Scope:     dependency.Shared,
			Readiness: true,
			Asks:      "ZooKeeper or the coordinator, whether they know this node",
			Instead:   "/status/health",
			Source:    druid,
		},
		{
			Product: "JupyterHub",
			Path:    "/hub/health",
			Scope:   dependency.Process,
			Asks:    "a fixed answer",
			Source:  "https://github.com/jupyterhub/jupyterhub/blob/main/jupyterhub/handlers/pages.py",
		},
		{
			Product: "Chroma",
			Path:    "/api/v1/heartbeat",
			Scope:   dependency.Process,
			Asks:    "a fixed answer",
			Source:  "https://github.com/chroma-core/chroma",
		},
		{
			Product: "Chroma",
			Path:    "/api/v2/heartbeat",
			Scope:   dependency.Process,
			Asks:    "a fixed answer",
			Source:  "https://github.com/chroma-core/chroma",
		},
		{
			Product: "MLflow",
			Path:    "/health",
			Images:  []string{"mlflow"},
			Scope:   dependency.Process,
			Asks:    "a fixed answer",
			Source:  "https://github.com/mlflow/mlflow/blob/master/mlflow/server/__init__.py",
		},
		{
			Product: "Trino and Presto",
			Path:    "/v1/info",
			Scope:   dependency.Process,
			Asks:    "the fixed information of this node",
			Source:  "https://trino.io/docs/current/admin/web-interface.html",
		},
		{
			Product: "Trino and Presto",
			Path:    "/v1/cluster",
			Scope:   dependency.Instance,
			Asks:    "the coordinator about its queries",
			Source:  "https://github.com/prestodb/presto",
		},
		{
			Product: "Hadoop YARN",
			Path:    "/ws/v1/cluster/info",
			Scope:   dependency.Instance,
			Asks:    "this resource manager about itself",
			Source:  "https://hadoop.apache.org/docs/stable/hadoop-yarn/hadoop-yarn-site/ResourceManagerRest.html",
		},
		{
			Product: "Triton and KServe",
			Path:    "/v2/health/live",
			Scope:   dependency.Process,
			Asks:    asksProcess,
			Source:  "https://kserve.github.io/website/docs/concepts/architecture/data-plane/v2-protocol",
		},
		{
			Product: "DataHub",
			Path:    "/health",
			Images:  []string{"datahub-gms", "gms"},
			Scope:   dependency.Process,
			Asks:    "a fixed answer",
			Source:  "https://github.com/datahub-project/datahub",
		},
	}
}
