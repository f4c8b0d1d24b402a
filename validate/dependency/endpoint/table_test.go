package endpoint

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate/dependency"
)

func TestEveryEntryIsComplete(t *testing.T) {
	for _, e := range Table() {
		if err := e.validate(); err != nil {
			t.Error(err)
		}
		name := e.Product + " " + e.Path
		source, err := url.Parse(e.Source)
		if err != nil || source.Scheme != "https" || source.Host == "" {
			t.Errorf("%s: source %q must be an https URL", name, e.Source)
		}
		if strings.HasSuffix(e.Asks, ".") || strings.TrimSpace(e.Asks) != e.Asks {
			t.Errorf("%s: asks %q must complete a sentence, without a full stop", name, e.Asks)
		}
		if e.Likely && e.Scope != dependency.Shared && !e.Readiness {
			t.Errorf("%s: likely says nothing of scope %q", name, e.Scope)
		}
		if e.Scope == dependency.Process && e.Instead != "" && e.Instead != "/livez" {
			t.Errorf("%s: a liveness check needs nothing instead of it, not %q", name, e.Instead)
		}
		if e.Generic {
			t.Errorf("%s: an endpoint that is known is not generic", name)
		}
	}
}

// Each entry answers its own example, for every evidence that it lists. One
// that another entry hides would never be used.
func TestEveryEntryIsReachable(t *testing.T) {
	for _, e := range Table() {
		for _, r := range examples(e) {
			want := dependency.Answer{
				Scope:     e.Scope,
				Likely:    e.Likely,
				Readiness: e.Readiness,
				Generic:   e.Generic,
				Asks:      e.Asks,
				Evidence:  r.Path,
				Instead:   e.Instead,
				Source:    e.Source,
			}
			if diff := cmp.Diff(want, HTTP(r)); diff != "" {
				t.Errorf("%s %s by %+v (-want +got):\n%s", e.Product, e.Path, r, diff)
			}
		}
	}
}

// examples are requests that an entry must answer.
func examples(e Entry) []Request {
	path := strings.ReplaceAll(e.Path, "*", "x")
	var query []string
	for _, s := range e.Query {
		switch {
		case strings.HasPrefix(s, "!"):
		case strings.HasSuffix(s, "=passing"):
			query = append(query, strings.TrimSuffix(s, "passing")+"204")
		default:
			query = append(query, s)
		}
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	base := Request{Path: path}
	for _, s := range e.Headers {
		base.Headers = append(base.Headers, Header{Name: s, Value: "x"})
	}

	var requests []Request
	for _, image := range e.Images {
		r := base
		r.Image = "registry.example/team/" + image + ":1.2@sha256:0"
		requests = append(requests, r)
	}
	for _, port := range e.Ports {
		r := base
		r.Port = port
		requests = append(requests, r)
	}
	if len(requests) == 0 {
		requests = append(requests, base)
	}
	return requests
}

func TestTableIsACopy(t *testing.T) {
	first, second := Table(), Table()
	for i := range first {
		for j := range first[i].Images {
			first[i].Images[j] = "changed"
		}
		first[i].Scope = dependency.Shared
	}
	if diff := cmp.Diff(second, Table()); diff != "" {
		t.Errorf("table after a change of the copy (-want +got):\n%s", diff)
	}
}

func TestKnownProducts(t *testing.T) {
	tests := map[string]struct {
		path, port, image string
		want              judgement
	}{
		"etcd's plain health reads by quorum":                 {"/health", "2381", "registry.k8s.io/etcd:3.6.1-0", likelyShared},
		"etcd by its port alone":                              {"/health", "2379", "", likelyShared},
		"etcd's serializable health is local":                 {"/health?serializable=true&exclude=NOSPACE", "2381", "etcd", instance},
		"etcd's serializable health switched off":             {"/health?serializable=false", "2381", "etcd", likelyShared},
		"the health of an unknown product":                    {"/health", "8080", anyImage, generic},
		"Vault with all codes overridden":                     {"/v1/sys/health?standbyok=true&sealedcode=204&uninitcode=204", "8200", "vault", process},
		"Vault with a standby code":                           {"/v1/sys/health?standbycode=200&sealedcode=200&uninitcode=200&", "", "", process},
		"Vault with a code that fails":                        {"/v1/sys/health?standbyok=true&sealedcode=503&uninitcode=204", "", "", likelyReady},
		"Vault that tolerates standby only":                   {"/v1/sys/health?standbyok=true", "", "", likelyReady},
		"Vault as it is":                                      {"/v1/sys/health", "8200", "vault", shared},
		"Elasticsearch's cluster health":                      {"/_cluster/health", "9200", "", shared},
		"Elasticsearch's local view":                          {"/_cluster/health?local=true", "9200", "", instance},
		"Elasticsearch's local view that waits for a state":   {"/_cluster/health?local=true&wait_for_status=yellow", "", "", shared},
		"Grafana's health asks its database":                  {"/api/health", "3000", "grafana/grafana:12.0.0", likelyShared},
		"Grafana in an image of one's own":                    {"/api/health", "3000", "jewelry-shop-grafana:latest", likelyShared},
		"a company called Grafana is not Grafana":             {"/api/health", "3000", "grafana/loki:3", generic},
		"Grafana's operator is not Grafana":                   {"/api/health", "3000", "grafana-operator:5", generic},
		"Loki's readiness":                                    {"/ready", "3100", "grafana/loki:3.4.2", readiness},
		"Envoy's readiness":                                   {"/ready", "8081", "envoyproxy/envoy:v1.37", likelyReady},
		"a readiness location of a web server":                {"/readyz", "80", "nginx:stable", likelyReady},
		"CloudNativePG's fixed readiness answer":              {"/readyz", "9443", "ghcr.io/cloudnative-pg/cloudnative-pg:1.30.0", process},
		"ScyllaDB's operator has a fixed readiness answer":    {"/readyz", "5000", "scylladb/scylla-operator:1.18", process},
		"an authenticator in front of Dex is not Dex":         {"/healthz", "5555", "mintel/dex-k8s-authenticator:1.4", generic},
		"a monitor of NATS is not NATS":                       {"/healthz", "7777", "natsio/nats-surveyor:0.9", generic},
		"Istio's own readiness port":                          {"/healthz/ready", "15021", anyImage, likelyReady},
		"another readiness on that path":                      {"/healthz/ready", "3001", anyImage, readiness},
		"n8n's readiness asks its database":                   {"/healthz/readiness", "5678", "n8nio/n8n:1", sharedReady},
		"NATS asks its streams":                               {"/healthz", "8222", "nats:2.11", likelyShared},
		"NATS asks whether JetStream is on":                   {"/healthz?js-enabled-only=true", "8222", "nats:2.11", instance},
		"the exporter of NATS is not NATS":                    {"/healthz", "7777", "natsio/prometheus-nats-exporter:0.17", generic},
		"RabbitMQ's aliveness test with an encoded vhost":     {"/api/aliveness-test/%2F", "15672", "rabbitmq:4", likelyShared},
		"RabbitMQ's cluster alarms":                           {"/api/health/checks/alarms", "15672", "rabbitmq:4", shared},
		"Argo CD's full check":                                {"/healthz?full=true", "8080", "argoproj/argocd:v3", likelyShared},
		"GitLab's readiness with all checks":                  {"/-/readiness?all=1", "8080", "", sharedReady},
		"Airflow's health does not fail with its database":    {"/health", "8080", "apache/airflow:2.10", process},
		"Airflow's scheduler does":                            {"/health", "8974", "apache/airflow:2.10", likelyShared},
		"a prefix before a known path":                        {"/apps/one/minio/health/cluster", "9000", "", shared},
		"Keycloak's realm under its old prefix":               {"/auth/realms/master", "8080", anyImage, likelyShared},
		"Mattermost's ping":                                   {"/api/v4/system/ping", "8065", "", process},
		"Mattermost's ping that asks for the server's status": {"/api/v4/system/ping?get_server_status=true", "8065", "", shared},
		"kubectl proxy passes on to the API server":           {"/openid/v1/jwks", "http", "bitnami/kubectl", likelyShared},
		"the login page of an unknown product":                {"/login", "8080", anyImage, nothing},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := HTTP(Request{Path: test.path, Port: test.port, Image: test.image})
			if diff := cmp.Diff(test.want, judgementOf(got)); diff != "" {
				t.Errorf("%s asks %q (-want +got):\n%s", test.path, got.Asks, diff)
			}
		})
	}
}
