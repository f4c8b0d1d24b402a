package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	corev1 "k8s.io/api/core/v1"

	"github.com/probity-dev/probity/escape"
	"github.com/probity-dev/probity/events"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
	"github.com/probity-dev/probity/webhook"
)

// attack acts on whoever prints it: it clears a terminal (in two encodings), turns
// the direction of writing, and begins a line with a command to a pipeline.
const attack = "\x1b[2J\u009b31m\u202e\u2066\r\n::error::pwned\n##[error]pwned\n\u2028\U000e0041\x7f"

// hostileObject has the attack wherever a manifest's author may write.
func hostileObject(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{
			"name": "n" + attack, "namespace": "s" + attack,
			"annotations": map[string]any{
				"probity.dev/exempt": "a" + attack, "probity.dev/exempt-reason": "r" + attack, "probity.dev/inject": "i" + attack,
				"probity.dev/exempt-until": "u" + attack, "probity.dev/startup-budget": "b" + attack,
			},
		},
		"spec": map[string]any{"containers": []any{
			map[string]any{
				"name": "c" + attack, "image": "i" + attack, "x" + attack: 1,
				"livenessProbe": map[string]any{
					"exec":           map[string]any{"command": []string{"sh", "-c", "pg_isready -h db" + attack, "x" + attack}},
					"timeoutSeconds": 30, "y" + attack: 1,
				},
				"readinessProbe": map[string]any{"httpGet": map[string]any{"path": "/health/" + attack, "port": "p" + attack, "host": "h" + attack}},
			},
			map[string]any{
				"name": "d" + attack, "livenessProbe": map[string]any{"httpGet": map[string]any{"path": "/ready?x=" + attack, "port": 80}},
			},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// unharmful fails when an output would act on its reader.
func unharmful(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if i := strings.IndexFunc(line, func(r rune) bool { return r != '\t' && escape.Hidden(r) }); i >= 0 {
			t.Errorf("%s: a character that acts on a terminal: %q", what, line[max(0, i-30):min(len(line), i+10)])
		}
		if trimmed := strings.TrimSpace(line); strings.Contains(trimmed, "pwned") && (strings.HasPrefix(trimmed, "::error::") || strings.HasPrefix(trimmed, "##[")) {
			t.Errorf("%s: a command to a pipeline: %q", what, line)
		}
	}
}

// TestNothingHostileReachesTheReaderOfACommand goes through all commands that print
// what stands in manifests, and all formats.
func TestNothingHostileReachesTheReaderOfACommand(t *testing.T) {
	t.Chdir(t.TempDir())
	object := hostileObject(t)
	names := []string{"::error::pwned.json", "##[error]pwned.json", "a" + strings.ReplaceAll(attack, "/", "") + ".json"}
	for _, name := range names {
		if err := os.WriteFile(name, []byte(object), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bad := "b" + attack + ".yaml"
	if err := os.WriteFile(bad, []byte("kind: Pod\n\"a\x1b\": ["), 0o600); err != nil {
		t.Fatal(err)
	}
	configuration := "c" + attack + ".yaml"
	if err := os.WriteFile(configuration, []byte("apiVersion: probity.dev/v1alpha1\nkind: Configuration\n\"x\\e[2J\\u202E\\n::error::pwned\": 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := [][]string{
		{"check", "--config", configuration, "."},
		{"check", "gone" + attack},
		{"fix", "."},
		{"explain", attack},
		{attack},
		{"check", "--" + attack},
	}
	for _, format := range []string{"text", "json", "sarif", "junit", "github", "markdown"} {
		tests = append(tests, []string{"check", "--profile", "strict", "-o", format, "."})
	}
	for _, format := range []string{"text", "json", "markdown", "csv"} {
		tests = append(tests, []string{"inventory", "-o", format, "."})
	}
	for _, args := range tests {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			stdout, stderr, _ := run(t, "probity", args...)
			unharmful(t, "standard error", stderr)
			if args[0] == "fix" {
				return // standard output is the manifest, for a file
			}
			if stdout+stderr == "" {
				t.Error("nothing is printed")
			}
			unharmful(t, "standard output", stdout)
			switch {
			case strings.Contains(strings.Join(args, " "), "junit"):
				decoder := xml.NewDecoder(strings.NewReader(stdout))
				for {
					if _, err := decoder.Token(); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						t.Fatalf("no XML: %v", err)
					}
				}
			case strings.Contains(strings.Join(args, " "), "-o json") && !json.Valid([]byte(stdout)):
				t.Error("no JSON")
			}
		})
	}
}

// TestNothingHostileReachesTheReaderOfAdmission: the user, the log, the audit
// annotation, Events and metrics.
func TestNothingHostileReachesTheReaderOfAdmission(t *testing.T) {
	quoted, err := json.Marshal("u" + attack)
	if err != nil {
		t.Fatal(err)
	}
	good := strings.Replace(reviewOf(`"p"`, string(quoted), `{}`), `"object":{`, `"name":`+string(quoted)+`,"object":`+hostileObject(t)+`,"x":{`, 1)
	reviews := []string{good, strings.Replace(good, `"AdmissionReview"`, string(quoted), 1), strings.Replace(good, `"request"`, `"request":7,"r"`, 1), "{" + attack}
	answers, others := judgeAndTell(t, reviews...)
	for _, answer := range answers {
		var review struct {
			Response struct {
				Status   struct{ Message string }
				Warnings []string
				Audit    map[string]string `json:"auditAnnotations"`
			}
		}
		if err := json.Unmarshal([]byte(answer), &review); err != nil {
			unharmful(t, "an error", answer)
			continue
		}
		unharmful(t, "the refusal", review.Response.Status.Message)
		for _, warning := range review.Response.Warnings {
			unharmful(t, "a warning", warning)
			if strings.Contains(warning, "\n") {
				t.Errorf("a warning has several lines: %q", warning)
			}
		}
		for _, text := range review.Response.Audit {
			unharmful(t, "the audit annotation", text)
		}
	}
	for name, text := range map[string]string{"the log": others.log, "Events": others.events, "the metrics": others.metrics} {
		if text == "" {
			t.Errorf("%s: nothing", name)
		}
		unharmful(t, name, text)
	}
}

// told is what Probity says of reviews to others than who asked.
type told struct{ log, events, metrics string }

// judgeAndTell sends reviews to both webhooks, which log all that they can. It does
// so in a bubble, where Events are written without a wait.
func judgeAndTell(t *testing.T, reviews ...string) (answers []string, others told) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { answers, others = judgeInBubble(t, reviews) })
	return answers, others
}

func judgeInBubble(t *testing.T, reviews []string) (answers []string, others told) {
	t.Helper()
	var log strings.Builder
	registry := prometheus.NewRegistry()
	f := &following{current: config.Default(), mode: validate.ModeEnforce, log: (&serveOptions{logs: &log, debug: true}).logger()}
	written := &eventSink{}
	recorder := events.New(events.Options{Sink: written, Metrics: registry, Log: f.log})
	h := f.handler(webhook.Options{Namespaces: webhook.Everywhere(f.settings()), Metrics: webhook.NewMetrics(registry), Observer: recorder})
	for _, hook := range []http.Handler{h.Validate(), h.Mutate()} {
		for _, review := range reviews {
			request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(review))
			request.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			hook.ServeHTTP(answer, request)
			answers = append(answers, answer.Body.String())
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- recorder.Start(ctx) }()
	synctest.Wait()
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	shown := httptest.NewRecorder()
	promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(shown, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	return answers, told{log.String(), strings.Join(written.told, "\n"), shown.Body.String()}
}

// eventSink keeps what is for people in Events.
type eventSink struct{ told []string }

func (s *eventSink) Create(e *corev1.Event) (*corev1.Event, error) {
	s.told = append(s.told, e.Type, e.Reason, e.Message)
	return e, nil
}

func (s *eventSink) Update(*corev1.Event) (*corev1.Event, error) { return nil, errors.New("not used") }

func (s *eventSink) Patch(e *corev1.Event, _ []byte) (*corev1.Event, error) { return s.Create(e) }

// secretPod has secrets where people put them: in the environment and, worse, in
// the commands of probes.
const secretPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"shop","annotations":{"example.org/token":"s3cr3t"}},"spec":{"containers":[
{"name":"a","env":[{"name":"DB_PASSWORD","value":"s3cr3t"},{"name":"DB_URL","value":"postgres://app:s3cr3t@db/x"}],"args":["--password=s3cr3t"],
 "livenessProbe":{"exec":{"command":["sh","-c","mysqladmin ping -h db -ps3cr3t --password=s3cr3t && PGPASSWORD=s3cr3t pg_isready -h db"]}}},
{"name":"b","env":[{"name":"DB_URL","value":"postgres://app:s3cr3t@db/x"}],"livenessProbe":{"exec":{"command":["sh","-c","psql \"$DB_URL\" -c 'select 1'"]}}},
{"name":"c","livenessProbe":{"exec":{"command":["curl","-f","-H","Authorization: Bearer s3cr3t","-u","u:s3cr3t","http://app:s3cr3t@other/health?token=s3cr3t"]}}},
{"name":"d","livenessProbe":{"exec":{"command":["sh","-c","redis-cli -h cache -a s3cr3t ping"]}}},
{"name":"e","livenessProbe":{"httpGet":{"path":"/health/db","port":80,"httpHeaders":[{"name":"Authorization","value":"s3cr3t"}]}}},
{"name":"f","livenessProbe":{"exec":{"command":["psql","postgres://app:s3cr3t@db/x"]}}},
{"name":"g","livenessProbe":{"httpGet":{"path":"/health/db?full=true&token=s3cr3t","port":80}}},
{"name":"h","livenessProbe":{"httpGet":{"path":"http://app:s3cr3t@other/health/db","port":80,"host":"http://app:s3cr3t@other"}}},
{"name":"i","livenessProbe":{"httpGet":{"path":"/livez","port":80,"host":"http://other/x?token=s3cr3t"}}},
{"name":"j","livenessProbe":{"exec":{"command":["python","-c","import redis\nredis.Redis(host='cache', password='s3cr3t').ping()"]}}},
{"name":"k","livenessProbe":{"exec":{"command":["python","-c","import requests\nrequests.get('http://other/x?token=s3cr3t', auth=('app', 's3cr3t'))"]}}},
{"name":"l","livenessProbe":{"exec":{"command":["psql","host=db user=x password=s3cr3t","-c","select 1"]}}},
{"name":"m","livenessProbe":{"exec":{"command":["sh","-c","psql \"host=db password=s3cr3t\" && mycheck --token=s3cr3t --host db"]}}},
{"name":"n","livenessProbe":{"tcpSocket":{"port":80}}}]}}`

// TestSecretsAreToldToNobody: neither in the formats of the commands, nor in what
// admission answers, logs, counts and writes into Events.
func TestSecretsAreToldToNobody(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("pod.json", []byte(secretPod), 0o600); err != nil {
		t.Fatal(err)
	}
	outputs := map[string]string{}
	for _, format := range []string{"text", "json", "sarif", "junit", "github", "markdown"} {
		stdout, stderr, status := run(t, "probity", "check", "--profile", "strict", "-o", format, "pod.json")
		if status != exitDenied {
			t.Errorf("check -o %s: status %d", format, status)
		}
		outputs["check -o "+format] = stdout + stderr
	}
	for _, format := range []string{"text", "json", "markdown", "csv"} {
		stdout, stderr, _ := run(t, "probity", "inventory", "-o", format, "pod.json")
		outputs["inventory -o "+format] = stdout + stderr
	}
	_, outputs["standard error of fix"], _ = run(t, "probity", "fix", "pod.json")
	const head = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","kind":{"group":"","version":"v1","kind":"`
	review := head + `Pod"},"operation":"CREATE","namespace":"shop","userInfo":{"username":"alice","extra":{"token":["s3cr3t"]}},"object":` + secretPod + `}}`
	secret := head + `Secret"},"operation":"CREATE","namespace":"shop","object":{"apiVersion":"v1","kind":"Secret","data":{"a":"s3cr3t"}}}}`
	broken := strings.Replace(review, `"periodSeconds"`, `"x"`, 1)[:len(review)-9]
	answers, others := judgeAndTell(t, review, secret, broken)
	outputs["answers"] = strings.Join(answers, "\n")
	outputs["log"], outputs["events"], outputs["metrics"] = others.log, others.events, others.metrics
	for name, text := range outputs {
		if text == "" {
			t.Errorf("%s is empty", name)
		}
		if i := strings.Index(text, "s3cr3t"); i >= 0 {
			t.Errorf("%s tells a secret: %s", name, text[max(0, i-80):i+6])
		}
	}
}
