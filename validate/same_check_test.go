package validate

import (
	"testing"

	"github.com/probity-dev/probity/workload"
)

func TestProbesThatAskTheSameInOtherWords(t *testing.T) {
	container := &workload.Container{Ports: []workload.ContainerPort{
		{Name: "metrics", ContainerPort: 9090}, {Name: "http", ContainerPort: 8080}, {Name: "web", ContainerPort: 8080}, {Name: "http", ContainerPort: 1},
	}}
	get := func(change func(*workload.HTTPGet)) *workload.Probe {
		h := &workload.HTTPGet{Path: "/healthz", Port: workload.Port{Number: 8080}}
		change(h)
		return &workload.Probe{HTTPGet: h}
	}
	path := func(path string) *workload.Probe { return get(func(h *workload.HTTPGet) { h.Path = path }) }
	named := func(name string) *workload.Probe {
		return get(func(h *workload.HTTPGet) { h.Port = workload.Port{Name: name} })
	}
	scheme := func(scheme string) *workload.Probe { return get(func(h *workload.HTTPGet) { h.Scheme = scheme }) }
	headers := func(pairs ...string) *workload.Probe {
		return get(func(h *workload.HTTPGet) {
			for i := 0; i < len(pairs); i += 2 {
				h.Headers = append(h.Headers, workload.HTTPHeader{Name: pairs[i], Value: pairs[i+1]})
			}
		})
	}
	grpc := func(port int32, service string) *workload.Probe {
		return &workload.Probe{GRPC: &workload.GRPC{Port: workload.Port{Number: port}, Service: service}}
	}
	exec := func(argv ...string) *workload.Probe {
		return &workload.Probe{Exec: &workload.Exec{Command: argv}}
	}
	plain := path("/healthz")
	tests := []struct {
		name string
		a, b *workload.Probe
		want bool
	}{
		{"a name and the number it stands for", named("http"), plain, true},
		{"two names of one number", named("http"), named("web"), true},
		{"a name and another number", named("metrics"), plain, false},
		{"one name that is not declared", named("admin"), named("admin"), true},
		{"two names that are not declared", named("admin"), named("ops"), false},
		{"a path without its slash", path("healthz"), plain, true},
		{"no path and a slash", path(""), path("/"), true},
		{"no path but a question, and a slash with it", path("?full"), path("/?full"), true},
		{"a fragment, which is not sent", path("/healthz#all"), plain, true},
		{"another question", path("/healthz?full=1"), plain, false},
		{"a slash at the end", path("/healthz/"), plain, false},
		{"another case", path("/Healthz"), plain, false},
		{"paths that are no URL", path("%zz"), path("/%zz"), true},
		{"the default scheme written out", scheme("HTTP"), plain, true},
		{"the other scheme", scheme("HTTPS"), plain, false},
		{"another host", get(func(h *workload.HTTPGet) { h.Host = "127.0.0.1" }), plain, false},
		{"headers in another order and case", headers("x-a", "1", "X-B", "2"), headers("X-B", "2", "X-A", "1"), true},
		{"values of one header in another order", headers("X-A", "1", "X-A", "2"), headers("X-A", "2", "X-A", "1"), false},
		{"a header more", headers("X-A", "1"), plain, false},
		{"one gRPC service", grpc(8080, ""), grpc(8080, ""), true},
		{"two gRPC services", grpc(8080, ""), grpc(8080, "live"), false},
		{"two gRPC ports", grpc(8080, ""), grpc(8081, ""), false},
		{"one command", exec("check", "a"), exec("check", "a"), true},
		{"two commands", exec("check", "a"), exec("check", "b"), false},
		{"two kinds of check", grpc(8080, ""), plain, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := sameCheck(container, tt.a, tt.b); got != tt.want {
				t.Errorf("sameCheck is %t", got)
			}
			if got := sameCheck(container, tt.b, tt.a); got != tt.want {
				t.Errorf("the other way around it is %t", got)
			}
		})
	}
}

func TestAPlainPathIsAskedAsItIsWritten(t *testing.T) {
	plain := map[string]bool{
		"/": true, "/livez": true, "/v1/health_check.json": true, "/~app/-/up": true, "/a//b": true, "/a/../b": true,
		"": false, "livez": false, "//livez": false, "/livez?full": false, "/livez#top": false, "/a%2Fb": false, "/a b": false, "/ü": false, "/a:b": false,
	}
	for path, want := range plain {
		if got := isPlainPath(path); got != want {
			t.Errorf("isPlainPath(%q) = %t", path, got)
		}
		if want && requestURI(path) != path {
			t.Errorf("the kubelet asks %q for %q", requestURI(path), path)
		}
	}
}
