package secret_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/probity-dev/probity/validate/dependency/secret"
)

func TestHideLeavesSecretsOutAndTheRestIn(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a plain path", "/health/db", "/health/db"},
		{"an ordinary query", "/health?full=true&verbose=1", "/health?full=true&verbose=1"},
		{"names that only look alike", "/q?keyspace=a&author=b&monkey=c&passenger=d&bypass=e", "/q?keyspace=a&author=b&monkey=c&passenger=d&bypass=e"},
		{"a token", "/health?full=true&token=s3cr3t", "/health?full=true&token=***"},
		{"a token that is empty", "/health?token=", "/health?token="},
		{"a token in front", "/health?token=s3cr3t&full=true", "/health?token=***&full=true"},
		{"a key", "/health?key=s3cr3t", "/health?key=***"},
		{"a key among words", "/health?access-key=s3cr3t", "/health?access-key=***"},
		{"a key in camel case", "/health?appKey=s3cr3t&authInfo=s3cr3t", "/health?appKey=***&authInfo=***"},
		{"a short password", "/health?u=a;pwd=s3cr3t", "/health?u=a;pwd=***"},
		{"an encoded name", "/health?to%6ben=s3cr3t", "/health?to%6ben=***"},
		{"a name that decodes to nothing", "/health?%zztoken=s3cr3t", "/health?%zztoken=***"},
		{"a value with a slash and a sign", "/health?token=a/s3cr3t==", "/health?token=***"},
		{"a signature", "/x?X-Amz-Signature=s3cr3t&sig=s3cr3t", "/x?X-Amz-Signature=***&sig=***"},
		{"a parameter of a segment", "/health;jsessionid=s3cr3t/db", "/health;jsessionid=***/db"},
		{"the password of a URL", "http://app:s3cr3t@other/health?full=true", "http://app:***@other/health?full=true"},
		{"a URL within a query", "/proxy?url=http://app:s3cr3t@other/x", "/proxy?url=http://app:***@other/x"},
		{"a header", "Authorization: Bearer s3cr3t", "Authorization: ***"},
		{"a header of a flag", "--header=X-Token: s3cr3t", "--header=X-Token: ***"},
		{"a quoted header", `"X-Api-Key: s3cr3t"`, `"X-Api-Key: ***"`},
		{"a header that tells nothing", "Accept: text/plain", "Accept: text/plain"},
		{"a variable", "/health?token=$(TOKEN)", "/health?token=$(TOKEN)"},
		{"a variable elsewhere", "http://$HOST/health?token=s3cr3t", "http://$HOST/health?token=***"},
		{"the port of a host with such a name", "token-service:8080", "token-service:8080"},
		{"the parameters of a connection", "host=db user=x password=s3cr3t dbname=y", "host=db user=x password=*** dbname=y"},
		{"a flag", "--api-token=s3cr3t", "--api-token=***"},
		{"a query in quotes", `"http://other/x?token=s3cr3t"`, `"http://other/x?token=***"`},
		{"what is behind a query in quotes, rather than too little", `curl "http://other/x?token=s3cr3t" -f`, `curl "http://other/x?token=***`},
		{"JSON in the quotes of a shell", `'{"user": "app", "password": "s3cr3t"}'`, `'{"user": "app", "password": "***"}'`},
		{"a password with a dollar sign", "postgres://app:s3$cr3t@db/x", "postgres://app:***@db/x"},
		{"a password that is a variable", "postgres://$(USER):$(PASSWORD)@db/x", "postgres://$(USER):$(PASSWORD)@db/x"},
		{"what is used where a variable is not set", "--token=${TOKEN:-s3cr3t}", "--token=***"},
		{"a variable behind a scheme", "Authorization: Bearer ${TOKEN}", "Authorization: Bearer ${TOKEN}"},
		{"a variable beside a secret", "Authorization: Basic s3cr3t$X", "Authorization: ***"},
		{"parameters before a semicolon", "host=db password=s3cr3t ;sslmode=off", "host=db password=***;sslmode=off"},
		{"parameters before what looks like a header", "password=s3cr3t token: s3cr3t", "password=*** token: ***"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := secret.Hide(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCodeLeavesSecretsOutAndTheRestIn(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"an argument", `redis.Redis(host='queue', password='s3cr3t', db=0)`, `redis.Redis(host='queue', password='***', db=0)`},
		{"an argument in bytes", `connect(password=b'p', passwd=rb"p", host=b'db')`, `connect(password=b'***', passwd=rb"***", host=b'db')`},
		{"a hash of Ruby", `Redis.new(host: "queue", password: "s3cr3t", :token => 's3cr3t')`, `Redis.new(host: "queue", password: "***", :token => '***')`},
		{"an object of JavaScript", `{"auth": "s3cr3t", "host": "queue"}`, `{"auth": "***", "host": "queue"}`},
		{"all in the brackets", `get('http://other/x', auth=('app', 's3cr3t'), timeout=3)`, `get('http://other/x', auth=('***', '***'), timeout=3)`},
		{"a call", `c.auth("s3cr3t"); c.get("a")`, `c.auth("***"); c.get("a")`},
		{"a quote within", `connect(password='a\'s3cr3t', host='db')`, `connect(password='***', host='db')`},
		{"one that does not end", `connect(password='s3cr3t`, `connect(password='***`},
		{"a query", `requests.get('http://other/x?token=s3cr3t').ok`, `requests.get('http://other/x?token=***').ok`},
		{"a header", `get(url, headers={'Authorization': 'Bearer s3cr3t'})`, `get(url, headers={'Authorization': '***'})`},
		{"the parameters of a connection", `connect("host=db password=s3cr3t")`, `connect("host=db password=***")`},
		{"a URL that a session asks", `Session("http://other/x").get('/y')`, `Session("http://other/x").get('/y')`},
		{"a condition that looks like a header", `if token: get('http://other/x')`, `if token: get('http://other/x')`},
		{"the password of a URL", `connect("postgres://app:s3cr3t@db/x")`, `connect("postgres://app:***@db/x")`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := secret.Code(tt.text); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A script may be as long as a request may: what is looked at twice is allocated twice.
func TestHidingInALongTextIsCheap(t *testing.T) {
	for name, part := range map[string]string{
		"URLs": "http://db/x ", "URLs with a password": "http://a:b@db/x ", "strings": `'a' "b" `, "queries": "/x?token=a&", "parameters": "password=a;b=c ",
		"brackets": `auth=(["`, "what are almost URLs": "://", "headers": "token: a ",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(part, 1<<20/len(part))
			for _, hide := range []func(string) string{secret.Hide, secret.Code} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				hide(text)
				runtime.ReadMemStats(&after)
				if n := after.TotalAlloc - before.TotalAlloc; n > 32*uint64(len(text)) {
					t.Errorf("%d bytes were allocated for a text of %d", n, len(text))
				}
			}
		})
	}
}

func FuzzHide(f *testing.F) {
	f.Add("http://a:b@c/d;e=f?token=g&h=i")
	f.Add(`auth=('a', "b", c) "d: e" '{"key": "f"}'`)
	f.Fuzz(func(t *testing.T, text string) {
		// With a quote that is part of a secret, the next one begins where it ended.
		if once, twice := secret.Hide(text), secret.Hide(secret.Hide(text)); twice != once && !strings.ContainsAny(text, "\"'`") {
			t.Errorf("%q, hidden again, is %q", once, twice)
		}
		if once, twice := secret.Code(text), secret.Code(secret.Code(text)); twice != once {
			t.Errorf("%q, hidden again, is %q", once, twice)
		}
		if strings.Contains(text, "s3cr3t") {
			return
		}
		for _, before := range []string{"/x?token=s3cr3t&", "http://app:s3cr3t@db/", "host=db password=s3cr3t ", "/x;key=s3cr3t;", `auth('s3cr3t') `} {
			if told := secret.Hide(before + text); strings.Contains(told, "s3cr3t") {
				t.Errorf("%q is told as %q", before+text, told)
			}
		}
	})
}
