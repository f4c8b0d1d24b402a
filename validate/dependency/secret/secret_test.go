package secret_test

import (
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
		{"a quoted header", `"X-Api-Key: s3cr3t"`, `"X-Api-Key: ***"`},
		{"a header that tells nothing", "Accept: text/plain", "Accept: text/plain"},
		{"a variable", "/health?token=$(TOKEN)", "/health?token=$(TOKEN)"},
		{"a variable elsewhere", "http://$HOST/health?token=s3cr3t", "http://$HOST/health?token=***"},
		{"the port of a host with such a name", "token-service:8080", "token-service:8080"},
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

func FuzzHide(f *testing.F) {
	f.Add("http://a:b@c/d;e=f?token=g&h=i")
	f.Fuzz(func(t *testing.T, text string) {
		once := secret.Hide(text)
		if twice := secret.Hide(once); twice != once {
			t.Errorf("%q, hidden again, is %q", once, twice)
		}
		if strings.Contains(secret.Hide("/x?"+"token=s3cr3t&"+text), "s3cr3t") && !strings.Contains(text, "s3cr3t") {
			t.Errorf("told with %q", text)
		}
	})
}
