package endpoint

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate/dependency"
)

// judgement is the part of an answer that does not depend on the table's texts.
type judgement struct {
	Scope     dependency.Scope
	Likely    bool
	Readiness bool
	Generic   bool
}

func judgementOf(a dependency.Answer) judgement {
	return judgement{a.Scope, a.Likely, a.Readiness, a.Generic}
}

// The judgements that the tables below expect.
var (
	nothing      = judgement{}
	generic      = judgement{Generic: true}
	process      = judgement{Scope: dependency.Process}
	instance     = judgement{Scope: dependency.Instance}
	readiness    = judgement{Scope: dependency.Instance, Readiness: true}
	likelyReady  = judgement{Scope: dependency.Instance, Readiness: true, Likely: true}
	shared       = judgement{Scope: dependency.Shared}
	likelyShared = judgement{Scope: dependency.Shared, Likely: true}
	sharedReady  = judgement{Scope: dependency.Shared, Readiness: true}
)

const anyImage = "registry.example/shop/api:1"

func checkPaths(t *testing.T, want judgement, paths ...string) {
	t.Helper()
	for _, path := range paths {
		got := HTTP(Request{Path: path, Port: "8080", Image: anyImage})
		if diff := cmp.Diff(want, judgementOf(got)); diff != "" {
			t.Errorf("%s asks %q (-want +got):\n%s", path, got.Asks, diff)
		}
	}
}

func TestWholeAnswers(t *testing.T) {
	const spring = "https://docs.spring.io/spring-boot/reference/actuator/endpoints.html#actuator.endpoints.kubernetes-probes"
	tests := map[string]struct {
		request Request
		want    dependency.Answer
	}{
		"a known aggregate names its product's liveness endpoint": {
			request: Request{Path: "/shop/actuator/health", Port: "8080"},
			want: dependency.Answer{
				Scope:    dependency.Shared,
				Asks:     "every health indicator of Spring Boot Actuator, the database included",
				Evidence: "/shop/actuator/health",
				Instead:  "/actuator/health/liveness",
				Source:   spring,
			},
		},
		"a dependency word says what it names": {
			request: Request{Path: "/Health//DB/", Port: "8080"},
			want: dependency.Answer{
				Scope:    dependency.Shared,
				Asks:     "the database",
				Evidence: "/Health//DB/",
			},
		},
		"a readiness check is one by its name": {
			request: Request{Path: "/readyz"},
			want: dependency.Answer{
				Scope:     dependency.Instance,
				Readiness: true,
				Asks:      "whether this instance is ready for traffic",
				Evidence:  "/readyz",
			},
		},
		"a generic endpoint is called so": {
			request: Request{Path: "/healthz"},
			want: dependency.Answer{
				Generic:  true,
				Asks:     "an endpoint that may check anything",
				Evidence: "/healthz",
			},
		},
		"no path is the root": {
			request: Request{},
			want: dependency.Answer{
				Generic: true,
				Asks:    "an endpoint that may check anything",
			},
		},
		"an unknown path gives the zero answer": {
			request: Request{Path: "/index.html", Image: anyImage},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, HTTP(test.request)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLivenessNamesAreLocal(t *testing.T) {
	checkPaths(t, process,
		"/live", "/livez", "/liveness", "/alive", "/ping", "/up", "/isAlive", "/_livez", "/health/live",
		"/health/liveness", "/healthz/liveness", "/actuator/health/liveness", "/app/actuator/health/liveness/",
		"/actuator/health/livenessState", "/actuator/health/ping", "/q/health/live", "/minio/health/live",
		"/feedback/livez", "/already-running/ping", "/db/livez", "/redis/health/live", "/livez?verbose",
		"/livez?exclude=etcd&verbose", "/-/healthy", "/-/liveness", "/live.json", "/k8s/liveness-probe",
		"/api/relay/healthcheck/live/", "/health/simple", "/health/self", "/system/liveliness",
	)
}

func TestReadinessNames(t *testing.T) {
	checkPaths(t, readiness,
		"/ready", "/readyz", "/readiness", "/Health//Ready/", "/health/ready", "/health/readiness",
		"/actuator/health/readiness", "/shop/q/health/ready", "/-/ready", "/status/ready", "/probe/ready",
		"/api/v1/ready", "/readyz/isDirty", "/readyz/ready", "/isReady", "/is-ready", "/check_ready",
		"/ready.json", "/_readyz", "/actuator/health/readinessState", "/health/readiness-check",
		"/app-health/app/readyz", "/health?ready=1", "/statusz?readiness=1", "/health?type=readiness",
		"/health?probe=ready", "/health/ready?full=true",
	)
}

func TestStartNamesAreThisInstance(t *testing.T) {
	checkPaths(t, instance, "/startup", "/health/started", "/q/health/started", "/startupz")
}

func TestGenericNames(t *testing.T) {
	checkPaths(t, generic,
		"", "/", "//", "/health", "/healthz", "/HEALTHZ/", "/status", "/statusz", "/healthcheck", "/health-check",
		"/health_check", "/api/health", "/api/v1/health", "/hc", "/_health", "/adbanner/healthz", "/health.php",
		"/already/status", "/health?verbose=true", "/health?exclude=db", "/health?format=json", "/health#/db",
		"/cache/health", "/search/health", "/queue/status", "/upload/healthz", "/db-check/health",
		"/external/health", "/health?details=true", "/health?cache=false", "/ready-to-wear/health",
	)
}

func TestPathsThatSayNothing(t *testing.T) {
	checkPaths(t, nothing,
		"/metrics", "/index.html", "/version", "/api", "/feedback", "/adbanner", "/already", "/readyset", "/livestream",
		"/ready-to-wear", "/db", "/redis", "/database/orders", "/deps", "/full", "/all", "/sample/info",
		"/actuator/health/custom", "/q/health/group/orders", "/health/kubernetes", "/healthy-food",
		"/app-health/app/livez", "/nginx_health", "/sign-up", "/download", "/up-next", "/orders?deep=true",
	)
}

func TestDependencyWordsInAHealthContext(t *testing.T) {
	checkPaths(t, shared,
		"/health/db", "/status/db", "/healthz/database", "/health/redis", "/api/v1/health/kafka", "/ping/mongo",
		"/check/postgres/", "/healthcheck/rabbitmq", "/health/s3", "/healthz/dependencies", "/health/deps",
		"/health/upstream", "/health/downstream", "/health/deep", "/health/integrations", "/livez/etcd",
		"/up/databases", "/db-health", "/healthz-redis", "/health/db-check", "/health/dbCheck", "/health/db.json",
		"/health/third-party", "/health/db/primary", "/actuator/health/db", "/actuator/health/rabbit",
		"/live/db", "/health/database-connection", "/dbcheck", "/api/dbHealth", "/HEALTH/DB",
	)
	checkPaths(t, sharedReady, "/ready/db", "/health/ready/redis", "/readyz/etcd")
}

func TestVagueWordsAreLikely(t *testing.T) {
	checkPaths(t, likelyShared,
		"/health/cache", "/health/queue", "/health/storage", "/health/all", "/health/full", "/healthz/external",
		"/health/detailed", "/health/search", "/status/mail", "/health/cluster", "/health/services",
		"/db/health", "/redis/healthz", "/database/status", "/actuator/health/mail",
	)
}

func TestANameThatEndsWithASystemMostLikelyMeansIt(t *testing.T) {
	checkPaths(t, likelyShared,
		"/health/orders-db", "/health/userDatabase", "/status/shop_redis", "/health/redis-sessions", "/healthz/kafka-service", "/health/redis2",
		"/health/db-1", "/health?check=orders-db", "/health?orders-db=true", "/health/mongo-replica-0",
	)
	checkPaths(t, shared, "/healthz/sql-server", "/q/health/group/database", "/q/health/group/redis")
	checkPaths(t, nothing,
		"/health/without-db", "/health/no-redis", "/health/redis-commander", "/health/orders-search", "/health/imdb", "/health/db-free-mode",
		"/orders-db", "/items/orders-db", "/q/health/group/custom", "/q/health/group/liveness", "/ready-service", "/main/items",
	)
	checkPaths(t, generic, "/orders-db/health", "/kafka-service/health", "/health?skip-db=true")
	checkPaths(t, process, "/health/orders-db/live")
}

func TestQueriesMakeAnEndpointDeeperOrShallower(t *testing.T) {
	checkPaths(t, shared,
		"/health?deep=true", "/health?deep", "/healthz?deep=1&verbose", "/health?check=db", "/health?checks=disk,redis",
		"/health?include=db", "/status?type=deep", "/health?DB=1", "/health?dependencies=yes", "/health?%64eep=true",
	)
	checkPaths(t, likelyShared,
		"/healthz?full=true", "/health?full", "/health?all=1", "/health?check=all", "/live?deep=true", "/health?full=all",
		"/health/live?full=true", "/livez?all",
	)
	checkPaths(t, process,
		"/_status?simple=true", "/health?deep=false", "/health?full=0", "/health?type=liveness", "/health?shallow=1",
		"/health?db=no",
	)
}

func TestEncodingsDoNotHideAWord(t *testing.T) {
	checkPaths(t, shared,
		"/health%2Fdb", "/%68ealth/%64b", "/%2568ealth/db", "/%252568ealth/db", "/health;jsessionid=1/db;v=2",
		"/a/../health/./db", "//health///db//", "/health/db#top", "health/db", "http://localhost:8080/health/db",
		"https://api.example/health/db?x=1#y", "http:///health/db", "/health/100%/db",
	)
	checkPaths(t, generic, "http://localhost:8080", "/health?next=http://a/health/db", "/health?", "/health?&=&", "///./..//", "/db/../health")
	checkPaths(t, nothing, "/health%2", "/health%zz", "/%health")
}

func TestAContainerThatIsTheSystemAsksItself(t *testing.T) {
	tests := map[string]struct {
		path, image string
		want        judgement
	}{
		"Redis asks itself":                        {"/health/redis", "redis:7", instance},
		"a build of Redis asks itself":             {"/health/redis", "r.example/bitnami/redis-cluster:7@sha256:0", instance},
		"an image that only its digest names":      {"/health/redis", "redis@sha256:0", instance},
		"a worker that uses Redis does not":        {"/health/redis", "shop/redis-worker:7", shared},
		"PostgreSQL is a database":                 {"/health/db", "postgres:17-alpine", instance},
		"an unknown image is no system":            {"/health/db", "", shared},
		"a database behind the name asks itself":   {"/db/health", "mysql:8", generic},
		"a cache is not the database":              {"/health/db", "redis:7", shared},
		"readiness of the system stays readiness":  {"/health/ready/redis", "redis:7", readiness},
		"an image that ends in a slash is no name": {"/health/db", "r.example/", shared},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := HTTP(Request{Path: test.path, Image: test.image})
			if diff := cmp.Diff(test.want, judgementOf(got)); diff != "" {
				t.Errorf("%s in %s (-want +got):\n%s", test.path, test.image, diff)
			}
		})
	}
}

func TestHeadersThatNameTheProbe(t *testing.T) {
	tests := map[string]struct {
		path   string
		header Header
		want   judgement
	}{
		"a liveness header makes a generic path local":  {"/health", Header{"X-Health-Check", "liveness"}, process},
		"a readiness header makes it likely readiness":  {"/health", Header{"x-probe", "Readiness"}, likelyReady},
		"a header of another meaning says nothing":      {"/health", Header{"User-Agent", "kube-probe/1.0"}, generic},
		"a value that is no word says nothing":          {"/health", Header{"X-Probe", "1"}, generic},
		"a header does not undo what the path says":     {"/health/db", Header{"X-Health-Check", "liveness"}, shared},
		"Knative's probes ask the process":              {"", Header{"k-kubelet-probe", "webhook"}, process},
		"Knative's header which is switched off is not": {"", Header{"K-Kubelet-Probe", "false"}, generic},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := HTTP(Request{Path: test.path, Headers: []Header{test.header}})
			if diff := cmp.Diff(test.want, judgementOf(got)); diff != "" {
				t.Errorf("judgement (-want +got):\n%s", diff)
			}
		})
	}
}
