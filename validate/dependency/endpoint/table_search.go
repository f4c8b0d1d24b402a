package endpoint

import "github.com/probity-dev/probity/validate/dependency"

// searchEntries are search engines and their front ends.
func searchEntries() []Entry {
	const (
		cluster = "https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-cluster-health"
		local   = "/_cluster/health?local=true"
		kibana  = "https://www.elastic.co/docs/api/doc/kibana/operation/operation-get-status"
		solr    = "https://solr.apache.org/guide/solr/latest/deployment-guide/ping.html"
	)
	return []Entry{
		{
			Product: "Elasticsearch and OpenSearch",
			Path:    "/_cluster/health",
			Query: []string{
				"local", "!wait_for_status", "!wait_for_nodes", "!wait_for_active_shards",
				"!wait_for_no_relocating_shards", "!wait_for_no_initializing_shards",
			},
			Scope:  dependency.Instance,
			Asks:   "this node for the cluster state that it holds, and fails on no state",
			Source: cluster,
		},
		{
			Product: "Elasticsearch and OpenSearch",
			Path:    "/_cluster/health",
			Scope:   dependency.Shared,
			Asks:    "the elected master for the state of the whole cluster",
			Instead: local,
			Source:  cluster,
		},
		{
			Product: "Elasticsearch and OpenSearch",
			Path:    "/_cluster/health/*",
			Scope:   dependency.Shared,
			Asks:    "the elected master for the state of an index",
			Instead: local,
			Source:  cluster,
		},
		{
			Product: "Elasticsearch and OpenSearch",
			Path:    "/_cluster/state",
			Scope:   dependency.Shared,
			Asks:    "the elected master for the state of the whole cluster",
			Instead: local,
			Source:  "https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-cluster-state",
		},
		{
			Product: "Elasticsearch and OpenSearch",
			Path:    "/_cluster/stats",
			Scope:   dependency.Shared,
			Asks:    "all nodes of the cluster for their statistics",
			Instead: local,
			Source:  "https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-cluster-stats",
		},
		{
			Product: "Elasticsearch and OpenSearch",
			Path:    "/_cat/health",
			Scope:   dependency.Shared,
			Asks:    "the elected master for the state of the whole cluster",
			Instead: local,
			Source:  "https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-cat-health",
		},
		{
			Product: "Elasticsearch and OpenSearch",
			Path:    "/_cat/*",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the cluster for a table of its parts",
			Instead: local,
			Source:  "https://www.elastic.co/docs/api/doc/elasticsearch/group/endpoint-cat",
		},
		{
			Product: "Elasticsearch",
			Path:    "/_health_report",
			Scope:   dependency.Shared,
			Asks:    "the cluster for its health report",
			Instead: local,
			Source:  "https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-health-report",
		},
		{
			Product: "Elasticsearch and OpenSearch",
			Path:    "/_nodes",
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "all nodes of the cluster",
			Instead: "/_nodes/_local",
			Source:  "https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-nodes-info",
		},
		{
			Product: "Elasticsearch and OpenSearch",
			Path:    "/_nodes/_local",
			Scope:   dependency.Instance,
			Asks:    "this node about itself",
			Source:  "https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-nodes-info",
		},
		{
			Product: "Kibana",
			Path:    "/api/status",
			Images:  []string{"kibana", "opensearch-dashboards"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the status of Kibana, which is unavailable without Elasticsearch",
			Source:  kibana,
		},
		{
			Product: "Solr",
			Path:    "/solr/admin/info/system",
			Scope:   dependency.Instance,
			Asks:    "this Solr node about itself",
			Source:  "https://solr.apache.org/guide/solr/latest/configuration-guide/implicit-requesthandlers.html",
		},
		{
			Product: "Solr",
			Path:    "/solr/admin/collections",
			Scope:   dependency.Shared,
			Asks:    "ZooKeeper for the collections of the SolrCloud cluster",
			Instead: "/solr/admin/info/system",
			Source:  "https://solr.apache.org/guide/solr/latest/deployment-guide/cluster-node-management.html",
		},
		{
			Product: "Solr",
			Path:    "/solr/*/admin/ping",
			Query:   []string{"distrib"},
			Scope:   dependency.Shared,
			Asks:    "all shards of the collection by a query",
			Instead: "/solr/admin/info/system",
			Source:  solr,
		},
		{
			Product: "Solr",
			Path:    "/solr/*/admin/ping",
			Scope:   dependency.Instance,
			Asks:    "one core of this node by a query",
			Source:  solr,
		},
		{
			Product: "Zipkin",
			Path:    "/health",
			Images:  []string{"zipkin"},
			Scope:   dependency.Shared,
			Likely:  true,
			Asks:    "the storage of Zipkin",
			Instead: "/info",
			Source:  "https://github.com/openzipkin/zipkin/tree/master/zipkin-server",
		},
	}
}
