package command

import (
	"testing"

	"github.com/probity-dev/probity/validate/dependency"
	"github.com/probity-dev/probity/validate/dependency/endpoint"
)

func TestLocalProgramsAskNobody(t *testing.T) {
	for _, argv := range [][]string{
		{"cat", "/tmp/healthy"},
		{"test", "-S", "/run/mysql.sock"},
		{"ls", "/data"},
		{"stat", "/tmp/ready"},
		{"find", "/tmp/alive", "-mmin", "-1"},
		{"pgrep", "-f", "celery.*worker"},
		{"kill", "-0", "1"},
		{"jps"},
		{"true"},
		{"echo", "ok"},
		{"rm", "/tmp/health.txt"},
		{"grep", "-q", "redis", "/proc/1/cmdline"},
		{"/usr/bin/pidof", "nginx"},
		{"python", "-m", "json.tool", "/run/state.json"},
		{"python", "-m", "pip", "check"},
		{"python3", "-m", "platform"},
		{"python3", "-m", "site"},
		{"python3", "-m", "sysconfig"},
		{"nsenter", "--mount=/host/proc/1/ns/mnt", "pgrep", "-x", "iscsid"},
	} {
		t.Run(argv[0], func(t *testing.T) {
			a := Analyze(Request{Argv: argv})
			if a.Answer.Scope != dependency.Process || a.Answer.Likely || len(a.Faults) > 0 {
				t.Errorf("%q is judged %q, faults %q", argv, verdictOf(a), a.Faults)
			}
		})
	}
}

func TestUnknownProgramsAreUnknown(t *testing.T) {
	redis := Request{Image: "docker.io/bitnami/redis:8", Container: "redis"}
	pgpool := Request{Image: "bitnami/pgpool:4"}
	judge(t, []probe{
		{name: "a script", script: "/scripts/healthcheck", want: "unknown"},
		{name: "a script for a shell", argv: []string{"sh", "/config-scripts/ok"}, want: "unknown"},
		{name: "a program with subcommands", argv: []string{"/app", "health"}, want: "unknown"},
		{name: "a variable for a program", script: "$CHECK", want: "unknown"},
		{name: "an entrypoint alone", argv: []string{"/entrypoint.sh"}, want: "unknown"},
		{name: "its version", argv: []string{"pytest", "--version"}, want: "process"},
		{name: "a name that says local", script: "/health/ping_liveness_local.sh 5", req: redis, want: "unknown"},
		{name: "a name that says the master too", script: "/health/ping_liveness_local_and_master.sh 5", req: redis, want: "likely shared"},
		{name: "a name that says the primary too", script: "/health/ping_liveness_local_and_primary.sh 5", req: redis, want: "likely shared"},
		{name: "a name that says the database", argv: []string{"/app/check_db.sh"}, req: Request{Image: "shop/api:1"}, want: "likely shared", asks: "the database (by its name)"},
		{name: "a name that says Redis", argv: []string{"/app/wait-for-redis.py"}, want: "likely shared"},
		{name: "in that product's own container", argv: []string{"/bitnami/scripts/ping-mongodb.sh"}, req: Request{Image: "bitnami/mongodb:8"}, want: "unknown"},
		{name: "in a container of that name", argv: []string{"/health/redis_liveness.sh"}, req: Request{Container: "redis"}, want: "unknown"},
		{name: "in the router of that database", argv: []string{"/opt/mongodb-healthcheck", "liveness"}, req: Request{Container: "mongos"}, want: "unknown"},
		{name: "a name that only holds the word", argv: []string{"/app/db-backup"}, want: "unknown"},
		{name: "a name that says what the worker is", argv: []string{"python", "/app/celery_probe.py", "--probe", "liveness"}, want: "unknown"},
		{name: "a name that says what the consumer consumes", argv: []string{"/app/kafka-consumer-alive"}, want: "unknown"},
		{name: "an option of a program on the JVM", argv: []string{"java", "-Xmx32m", "-jar", "/app/check.jar", "--host", "orders-db"}, want: "likely shared", asks: `host "orders-db"`},
		{name: "a program on the JVM alone", argv: []string{"java", "-jar", "/app/check-db.jar"}, want: "likely shared", asks: "the database (by its name)"},
		{name: "an argument that says it", argv: []string{"/healthcheck.sh", "redis"}, want: "likely shared"},
		{name: "the check of a pool", argv: []string{"/opt/bitnami/scripts/pgpool/healthcheck.sh"}, req: pgpool, want: "likely shared"},
		{name: "a name that says readiness", argv: []string{"/tmp/readiness.sh"}, want: "likely instance readiness"},
		{name: "a DSN that is handed over", script: "python /tmp/probedb.py -c $DB -s x", req: literal("DB", "postgresql://a:b@orders-db/x"), want: "shared", asks: `host "orders-db"`},
		{name: "a URL of a bucket", argv: []string{"/check", "s3://orders/x"}, want: "likely shared"},
		{name: "a DSN of this pod", argv: []string{"/check", "postgresql://a:b@localhost/x"}, want: "unknown"},
		{name: "a URL that is handed over", argv: []string{"/check", "http://inventory/livez"}, want: "likely shared"},
		{name: "a URL of this pod", argv: []string{"/healthcheck", "http://localhost:8080/actuator/health"}, want: "likely shared"},
		{name: "a host by an option", argv: []string{"/check", "--db-host=orders-db"}, want: "likely shared"},
		{name: "a host of this pod by an option", argv: []string{"/kiam", "health", "--server-address=127.0.0.1:443"}, want: "unknown"},
		{name: "a host and a port", argv: []string{"/check", "orders-db:5432"}, want: "likely shared"},
		{name: "a variable that is handed over", script: "/check $DB_HOST", req: from("DB_HOST", "secretKeyRef"), want: "likely shared"},
		{name: "a password that is handed over", script: "/check $DB_PASSWORD", req: from("DB_PASSWORD", "secretKeyRef"), want: "unknown"},
		{name: "an unknown part of a script", script: "pgrep app && /scripts/check", want: "unknown"},
	})
}

func TestSlowProgramsAreNoted(t *testing.T) {
	for _, tt := range []struct {
		name string
		argv []string
		want string
	}{
		{"an interpreter", []string{"python3.12", "-c", "print(1)"}, "python"},
		{"an interpreter with a file", []string{"node", "/app/check.js"}, "node"},
		{"a tool on the JVM", []string{"sh", "-c", "kafka-topics.sh --bootstrap-server localhost:9092 --list"}, "a JVM (kafka-topics.sh)"},
		{"a client in Python", []string{"celery", "inspect", "ping"}, "python (celery)"},
		{"behind a wrapper", []string{"timeout", "5", "nodetool", "info"}, "a JVM (nodetool)"},
		{"even if nothing depends on it", []string{"sh", "-c", "celery inspect ping || true"}, "python (celery)"},
		{"a tool of the JDK", []string{"sh", "-c", "jps | grep -q Main"}, "a JVM (jps)"},
		{"jcmd", []string{"jcmd", "1", "VM.version"}, "a JVM (jcmd)"},
		{"jstack", []string{"jstack", "1"}, "a JVM (jstack)"},
		{"jstat", []string{"jstat", "-gc", "1"}, "a JVM (jstat)"},
		{"jinfo", []string{"jinfo", "1"}, "a JVM (jinfo)"},
		{".NET", []string{"dotnet", "/app/HealthCheck.dll"}, "the .NET runtime"},
		{"PowerShell", []string{"powershell", "-Command", "Get-Date"}, "PowerShell"},
		{"not a light client", []string{"redis-cli", "ping"}, ""},
		{"not a pattern", []string{"pgrep", "-f", "python"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Analyze(Request{Argv: tt.argv}).Heavy; got != tt.want {
				t.Errorf("heavy is %q, want %q", got, tt.want)
			}
		})
	}
}

// recorder answers every request the same way and keeps it.
type recorder struct{ requests []endpoint.Request }

func (r *recorder) HTTP(q endpoint.Request) dependency.Answer {
	r.requests = append(r.requests, q)
	return dependency.Answer{Scope: dependency.Shared, Asks: "everything", Instead: "/less", Source: "https://example.com"}
}

func (r *recorder) GRPC(service string) dependency.Answer {
	return dependency.Answer{Scope: dependency.Shared, Asks: "service " + service}
}

func TestOwnEndpointsAreJudgedByTheirTable(t *testing.T) {
	rec := &recorder{}
	a, err := New(Options{Endpoints: rec, Clients: []Client{
		{Names: []string{"shopctl"}, Product: "HTTP server", Protocol: HTTP, Flags: "-p:port", Args: "url"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := a.Analyze(Request{Argv: []string{"curl", "-H", "X-Probe: deep", "https://localhost:8443/a?b=c"}, Image: "shop:1"})
	want := endpoint.Request{
		Path: "/a?b=c", Port: "8443", Image: "shop:1", Headers: []endpoint.Header{{Name: "X-Probe", Value: "deep"}},
	}
	equal(t, "request", rec.requests, []endpoint.Request{want})
	equal(t, "answer", got.Answer, dependency.Answer{
		Scope: dependency.Shared, Asks: "everything", Instead: "/less", Source: "https://example.com",
		Evidence: "curl -H X-Probe: deep https://localhost:8443/a?b=c",
	})

	rec.requests = nil
	for _, url := range []string{"http://localhost/livez", "https://localhost/livez"} {
		a.Analyze(Request{Argv: []string{"curl", url}})
	}
	a.Analyze(Request{Argv: []string{"shopctl", "-p", "8081", "http://localhost/livez"}})
	equal(t, "requests whose URL has no port", rec.requests, []endpoint.Request{
		{Path: "/livez", Port: "80"}, {Path: "/livez", Port: "443"}, {Path: "/livez", Port: "8081"},
	})

	got = a.Analyze(Request{Argv: []string{"grpc_health_probe", "-addr=:1", "-service", "deep"}})
	if got.Answer.Asks != "service deep" {
		t.Errorf("the gRPC service is not handed on: asks %s", got.Answer.Asks)
	}
}
