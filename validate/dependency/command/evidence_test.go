package command

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestEvidenceFitsIntoAMessage(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"a short text stays", "pg_isready -h db", "pg_isready -h db"},
		{"blanks and lines are joined", "  a\n\t b  c \r\n", "a b c"},
		{"control characters are replaced", "a\x1b[31mb\x00c", "a\ufffd[31mb\ufffdc"},
		{"bad UTF-8 is replaced", "a\xffb", "a\ufffdb"},
		{"direction marks are replaced", "a\u202eb", "a\ufffdb"},
		{"a long text is cut", strings.Repeat("x", 200), strings.Repeat("x", 117) + "..."},
		{"never inside of a rune", strings.Repeat("é", 100), strings.Repeat("é", 58) + "..."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := evidence(tt.in)
			if got != tt.want {
				t.Errorf("%q becomes %q, want %q", tt.in, got, tt.want)
			}
			if len(got) > maxEvidence || !utf8.ValidString(got) {
				t.Errorf("%q is %d bytes long", got, len(got))
			}
		})
	}
}

func TestEvidenceHidesPasswords(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"behind an option", "redis-cli -a hunter2 -h queue ping", "redis-cli -a *** -h queue ping"},
		{"glued to it", "mysqladmin -uroot -phunter2 -h db ping", "mysqladmin -uroot -p*** -h db ping"},
		{"behind =", "mysqladmin --password=hunter2 -h db ping", "mysqladmin --password=*** -h db ping"},
		{"in a URL", "curl http://u:hunter2@inventory/x", "curl http://u:***@inventory/x"},
		{"in a header", `curl -H "Authorization: Bearer hunter2" http://inventory/x`, `curl -H "Authorization: ***" http://inventory/x`},
		{"in a query", "curl http://inventory/x?a=1&token=hunter2", "sh -c curl http://inventory/x?a=1&token=***"}, // & ends the command, and the whole is told
		{"in a quoted query", "curl 'http://inventory/x?a=1&api_key=hunter2'", "curl 'http://inventory/x?a=1&api_key=***'"},
		{"but not the port of a host with such a name", "nc -z token-service:8080 80", "nc -z token-service:8080 80"},
		{"but not a variable", "redis-cli -a $PASS -h queue ping", "redis-cli -a $PASS -h queue ping"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Analyze(Request{Argv: []string{"sh", "-c", tt.script}}).Answer.Evidence; got != tt.want {
				t.Errorf("evidence %q, want %q", got, tt.want)
			}
		})
	}
}

func TestEvidenceIsTheCommandThatAsks(t *testing.T) {
	for _, tt := range []struct {
		name string
		req  Request
		want string
	}{
		{"argv as it is written", Request{Argv: []string{"pg_isready", "-h", "$(DB)"}, Env: []EnvVar{{Name: "DB", Value: "db"}}}, "pg_isready -h $(DB)"},
		{"one command of a script", Request{Argv: []string{"sh", "-c", "test -f x && nc -z db 80 >/dev/null"}}, "nc -z db 80"},
		{"with its quotes", Request{Argv: []string{"sh", "-c", `redis-cli -h "${H:-queue}" ping | grep x`}}, `redis-cli -h "${H:-queue}" ping`},
		{"both ends of a long one", Request{Argv: []string{"curl", "-fsS", "--header", "X-Long: " + strings.Repeat("x", 100), "--max-time", "3", "http://inventory/livez"}}, "curl -fsS --header ... --max-time 3 http://inventory/livez"},
		{"a long URL is cut at its end", Request{Argv: []string{"curl", "-f", "http://inventory/" + strings.Repeat("x", 200)}}, "curl -f http://inventory/" + strings.Repeat("x", 92) + "..."},
		{"as much of both ends as there is room for", Request{Argv: []string{"sh", "-c", "nc -z db 80 " + strings.Repeat("abc ", 50) + strings.Repeat("ab ", 3)}}, "nc -z db 80 " + strings.Repeat("abc ", 7) + "... " + strings.Repeat("abc ", 17) + "ab ab ab"},
		{"a command behind another shell", Request{Argv: []string{"sh", "-c", "sh -c 'test -f /tmp/up' && nc -z db 80"}}, "nc -z db 80"},
		{"the same variable twice", Request{Argv: []string{"sh", "-c", "curl -f $DB_URL $DB_URL"}, EnvFrom: true}, "curl -f $DB_URL $DB_URL"},
		{"a call on a line of its own", Request{Argv: js("const {connect} = require('net')\nconnect(3000)")}, "connect(3000)"},
		{"a redirection", Request{Argv: []string{"bash", "-c", "exec 3<>/dev/tcp/db/80"}}, "3<>/dev/tcp/db/80"},
		{"a line of code", Request{Argv: []string{"python", "-c", "import os\nimport redis\nredis.Redis(host='queue').ping()\n"}}, "redis.Redis(host='queue').ping()"},
		{"what an interpreter runs", Request{Argv: []string{"python", "/app/check.py", "--host", "db"}}, "python /app/check.py --host db"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Analyze(tt.req).Answer.Evidence; got != tt.want {
				t.Errorf("evidence %q, want %q", got, tt.want)
			}
		})
	}
}

// equal compares whole results.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}
