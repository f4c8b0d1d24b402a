package command

import "testing"

func BenchmarkAnalyze(b *testing.B) {
	for _, bench := range []struct {
		name string
		req  Request
	}{
		{"local program", Request{Argv: []string{"cat", "/tmp/healthy"}}},
		{"local client", Request{Argv: []string{"redis-cli", "ping"}}},
		{"remote client", Request{Argv: []string{"pg_isready", "-h", "$(DB_HOST)", "-p", "5432"}, Env: []EnvVar{{Name: "DB_HOST", Value: "db"}}}},
		{"own endpoint", Request{Argv: []string{"curl", "-fsS", "http://localhost:8080/livez"}}},
		{"short script", Request{Argv: []string{"sh", "-c", `redis-cli -a "$REDIS_PASSWORD" ping | grep -q PONG`}}},
		{"long script", Request{Argv: []string{"bash", "-ec", longScript}}},
		{"code", Request{Argv: []string{"python", "-c", "import os, redis\nredis.Redis(host=os.environ['REDIS_HOST']).ping()"}}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Analyze(bench.req)
			}
		})
	}
}

const longScript = `password="${MYSQL_ROOT_PASSWORD:-}"
if [[ -f "${MYSQL_ROOT_PASSWORD_FILE:-}" ]]; then
    password=$(cat "$MYSQL_ROOT_PASSWORD_FILE")
fi
check() {
    local host="$1"
    mysqladmin -h "$host" -uroot -p"$password" ping | grep -q "mysqld is alive"
}
for host in localhost "${PRIMARY:-127.0.0.1}"; do
    check "$host" || exit 1
done
`
