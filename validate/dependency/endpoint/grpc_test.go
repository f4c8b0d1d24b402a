package endpoint

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate/dependency"
)

func TestGRPCServices(t *testing.T) {
	tests := map[string]struct {
		want     judgement
		services []string
	}{
		"the whole server and liveness are local": {
			process, []string{"", "grpc.health.v1.Health", "liveness", "live", "my.api.v1.Liveness", "shop-liveness", "health"},
		},
		"readiness by its name": {
			readiness, []string{"readiness", "ready", "my.api.v1.Readiness", "myapp.readiness", "isReady", "readiness/", "READINESS", "shop-readiness"},
		},
		"a dependency in a package about health": {
			shared, []string{"health.Database", "health/db", "grpc.health.v1.Redis", "checks.kafka", "health.v1.deep"},
		},
		"a dependency that says check itself": {
			shared, []string{"DatabaseHealth", "db-health", "orders.v1.DatabaseCheck", "redis_check"},
		},
		"a dependency as a key of its own": {
			shared, []string{"redis", "db", "Postgres", "dependencies", "deep"},
		},
		"a vague name is likely only in a context": {
			likelyShared, []string{"health.Cache", "health.all", "all", "full"},
		},
		"a small name that ends with a dependency is likely a key for its check": {
			likelyShared, []string{"shop-postgres", "orders_db", "shop.redis", "acme.kafka", "acme.orders-db", "redis-replica"},
		},
		"a service that is called so is its own": {
			nothing, []string{
				"orders.v1.CacheService", "shop.Database", "search", "cache", "mail.v1.Mailer", "orders.v1.Orders",
				"vault.Vault", "storage.v2.Storage", "feedback", "already", "com.example.ReadyMade",
				"acme.cache", "acme.v1.OrdersDatabase", "OrdersRedis", "redis-commander", "without-db",
			},
		},
		"a start check is this instance": {instance, []string{"startup", "health.Startup"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, service := range test.services {
				got := GRPC(service)
				if diff := cmp.Diff(test.want, judgementOf(got)); diff != "" {
					t.Errorf("%q asks %q (-want +got):\n%s", service, got.Asks, diff)
				}
			}
		})
	}
}

func TestGRPCAnswersCarryTheService(t *testing.T) {
	want := dependency.Answer{Scope: dependency.Shared, Asks: "the database", Evidence: "health.Database"}
	if diff := cmp.Diff(want, GRPC("health.Database")); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}
