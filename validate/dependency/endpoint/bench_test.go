package endpoint

import "testing"

// The paths of most probes. Answering them must not allocate.
var usualPaths = []string{
	"/", "/health", "/healthz", "/livez", "/ready", "/metrics", "/api/v1/health", "/actuator/health/liveness",
	"/-/healthy", "/orders/v2/check-out/state", "/health/db", "/healthz?full=true", "/index.html",
}

func TestUsualPathsDoNotAllocate(t *testing.T) {
	for _, path := range usualPaths {
		r := Request{Path: path, Port: "8080", Image: "registry.example/team/shop-api-server:1.2.3"}
		HTTP(r)
		if n := testing.AllocsPerRun(100, func() { HTTP(r) }); n != 0 {
			t.Errorf("%s: %v allocations, want none", path, n)
		}
	}
	if n := testing.AllocsPerRun(100, func() { GRPC("orders.v1.Orders") }); n != 0 {
		t.Errorf("gRPC: %v allocations, want none", n)
	}
}

func BenchmarkHTTP(b *testing.B) {
	for _, path := range usualPaths {
		b.Run(path, func(b *testing.B) {
			r := Request{Path: path, Port: "8080", Image: "registry.example/team/shop-api-server:1.2.3"}
			b.ReportAllocs()
			for b.Loop() {
				HTTP(r)
			}
		})
	}
}

func BenchmarkGRPC(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		GRPC("orders.v1.Orders")
	}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := New(Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
