package webhook

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

var update = flag.Bool("update", false, "write the golden files")

func newHandler(t testing.TB, namespaces Namespaces) *Handler {
	t.Helper()
	return New(Ruling{
		Kinds: workload.DefaultKinds(),
		Policies: map[validate.Profile]*validate.Policy{
			validate.Baseline: validate.MustPolicy(validate.Baseline),
			validate.Strict:   validate.MustPolicy(validate.Strict),
		},
	}, Options{
		Namespaces: namespaces,
		Metrics:    NewMetrics(prometheus.NewRegistry()),
		Log:        logr.Discard(),
	})
}

func enforce() Everywhere {
	return Everywhere{Mode: validate.ModeEnforce, Injection: validate.ModeEnforce.DefaultInjection()}
}

// send posts a body and returns status and answer.
func send(t testing.TB, h http.Handler, contentType string, body []byte) (int, string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestReviews compares the answers of both endpoints to whole reviews, byte for
// byte, with golden files.
func TestReviews(t *testing.T) {
	files, err := filepath.Glob("testdata/reviews/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no reviews: %v", err)
	}
	h := newHandler(t, enforce())
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			review, err := yaml.YAMLToJSON(text)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			code, answer := send(t, h.Validate(), "application/json", review)
			writeAnswer(t, &got, "validate", code, answer)
			code, answer = send(t, h.Mutate(), "application/json", review)
			writeAnswer(t, &got, "mutate", code, answer)
			golden(t, strings.TrimSuffix(file, ".yaml")+".golden", got.String())
		})
	}
}

func writeAnswer(t *testing.T, b *strings.Builder, endpoint string, code int, answer string) {
	t.Helper()
	b.WriteString("/" + endpoint + " " + http.StatusText(code) + "\n" + answer + "\n")
	if patch := decodePatch(t, answer); patch != "" {
		b.WriteString("patch " + patch + "\n")
	}
}

func decodePatch(t *testing.T, answer string) string {
	t.Helper()
	var review struct {
		Response struct {
			Patch []byte `json:"patch"`
		} `json:"response"`
	}
	if err := yaml.Unmarshal([]byte(answer), &review); err != nil {
		return ""
	}
	return string(review.Response.Patch)
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

const podReview = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","kind":{"group":"","version":"v1","kind":"Pod"},"operation":"CREATE","namespace":"shop","userInfo":{"username":"alice"},"object":%OBJECT%}}`

func podWith(container string) string {
	return strings.Replace(podReview, "%OBJECT%", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[`+container+`]}}`, 1)
}

func TestBadRequestsGetAReason(t *testing.T) {
	valid := podWith(`{"name":"app"}`)
	tests := []struct {
		name, contentType, body string
		code                    int
		want                    string
	}{
		{"no JSON", "application/json", `{"kind":`, 400, "malformed AdmissionReview: "},
		{"an empty body", "application/json", ``, 400, "the body is empty: must be an AdmissionReview\n"},
		{"a wrong content type", "application/yaml", valid, 415, "content type \"application/yaml\" is not supported: must be application/json\n"},
		{"no content type", "", valid, 415, "content type \"\" is not supported: must be application/json\n"},
		{"a body over the limit", "application/json", strings.Repeat(" ", maxBody+1), 413, "the body is over the limit of 7340032 bytes\n"},
		{"an old version", "application/json", strings.Replace(valid, "k8s.io/v1", "k8s.io/v1beta1", 1), 400, "uid u-1: apiVersion is \"admission.k8s.io/v1beta1\", must be admission.k8s.io/v1\n"},
		{"another kind", "application/json", strings.Replace(valid, `"AdmissionReview"`, `"Status"`, 1), 400, "uid u-1: kind is \"Status\", must be AdmissionReview\n"},
		{"no uid", "application/json", strings.Replace(valid, `"uid":"u-1",`, ``, 1), 400, "malformed AdmissionReview: request.uid is missing\n"},
		{"a request that is a list", "application/json", `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":[]}`, 400, "malformed AdmissionReview: "},
	}
	h := newHandler(t, enforce())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, endpoint := range []http.Handler{h.Validate(), h.Mutate()} {
				code, answer := send(t, endpoint, tt.contentType, []byte(tt.body))
				if code != tt.code || !strings.HasPrefix(answer, tt.want) {
					t.Errorf("got %d %q, want %d %q", code, answer, tt.code, tt.want)
				}
			}
		})
	}
	t.Run("another method", func(t *testing.T) {
		w := httptest.NewRecorder()
		h.Validate().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/validate", nil))
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST" {
			t.Errorf("got %d, Allow %q", w.Code, w.Header().Get("Allow"))
		}
	})
}

func TestOddObjectsGetAnAnswer(t *testing.T) {
	const allowed = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u-1","allowed":true}}`
	warning := func(text string) string {
		return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u-1","allowed":true,"warnings":["` + text + `"]}}`
	}
	tests := []struct{ name, review, want string }{
		{"a null object", strings.Replace(podReview, "%OBJECT%", "null", 1), allowed},
		{"an unknown kind", strings.Replace(strings.Replace(podReview, "%OBJECT%", `{"spec":7}`, 1), `"Pod"`, `"Widget"`, 1), allowed},
		{"a container list that is null", strings.Replace(podReview, "%OBJECT%", `{"spec":{"containers":null}}`, 1), warning(`not judged: spec.containers: must list at least one container`)},
		{"a period below zero", podWith(`{"name":"app","livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":-5}}`), warning(`not judged: spec.containers[0].livenessProbe.periodSeconds: is -5; it must not be negative (0 or absent means the default, 10)`)},
		{"two handlers", podWith(`{"name":"app","livenessProbe":{"tcpSocket":{"port":1},"exec":{"command":["true"]}}}`), warning(`not judged: spec.containers[0].livenessProbe: has 2 handlers (exec, tcpSocket); it must have exactly one`)},
		{"no handler", podWith(`{"name":"app","livenessProbe":{"periodSeconds":5}}`), warning(`not judged: spec.containers[0].livenessProbe: has no handler; it must have exactly one of exec, grpc, httpGet, tcpSocket`)},
		{"a port name of 300 characters", podWith(`{"name":"app","livenessProbe":{"tcpSocket":{"port":"` + strings.Repeat("a", 300) + `"}}}`), warning(`not judged: spec.containers[0].livenessProbe.tcpSocket.port: is \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\" (300 characters); a port name must have at most 15 characters, a-z, 0-9 and -, at least one of them a letter, and no - at an end or next to another`)},
		{"a string for a number", podWith(`{"name":"app","livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":"5"}}`), warning(`not judged: spec.containers[0].livenessProbe.periodSeconds: must be a whole number, is \"5\"`)},
		{"a gRPC port with a name", podWith(`{"name":"app","livenessProbe":{"grpc":{"port":"grpc"}}}`), warning(`not judged: spec.containers[0].livenessProbe.grpc.port: is the string \"grpc\"; it must be a number from 1 to 65535`)},
		{"annotations that are a list", strings.Replace(podWith(`{"name":"app","livenessProbe":{"tcpSocket":{"port":1}}}`), `"name":"p"`, `"name":"p","annotations":[]`, 1), warning(`not judged: metadata.annotations: must be an object, is []`)},
		{"a startup probe that is a list", podWith(`{"name":"app","startupProbe":[],"livenessProbe":{"tcpSocket":{"port":1}}}`), warning(`not judged: spec.containers[0].startupProbe: must be an object, is []`)},
		{"members in another order", `{"request":{"object":{"spec":{"containers":[{"name":"app"}]}},"operation":"CREATE","kind":{"group":"","version":"v1","kind":"Pod"},"uid":"u-1"},"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}`, allowed},
		{"a startup budget that is not legal", strings.Replace(podWith(`{"name":"app"}`), `"name":"p"`, `"name":"p","annotations":{"probity.dev/startup-budget":"10x"}`, 1), warning(`metadata.annotations: annotation probity.dev/startup-budget: \"10x\" is not legal: must be a duration such as 10m or 1h30m`)},
		{"a workload annotation that is not legal", strings.Replace(podWith(`{"name":"app"}`), `"name":"p"`, `"name":"p","annotations":{"probity.dev/inject":"yes"}`, 1), warning(`metadata.annotations: annotation probity.dev/inject: inject \"yes\" is not legal: must be all, startup, budget or none`)},
	}
	h := newHandler(t, enforce())
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, answer := send(t, h.Validate(), "application/json", []byte(tt.review))
			if code != http.StatusOK || answer != tt.want {
				t.Errorf("got  %d %s\nwant %s", code, answer, tt.want)
			}
			if code, answer := send(t, h.Mutate(), "application/json; charset=utf-8", []byte(tt.review)); code != http.StatusOK ||
				len(tt.want) > len(allowed) && strings.Contains(tt.want, "not judged") && answer != allowed {
				t.Errorf("/mutate: got %d %s", code, answer)
			}
		})
	}
}

// TestModes shows one refused probe in each mode.
func TestModes(t *testing.T) {
	review := []byte(podWith(`{"name":"app","livenessProbe":{"tcpSocket":{"port":1},"failureThreshold":1}}`))
	for mode := validate.ModeOff; mode <= validate.ModeEnforce; mode++ {
		t.Run(mode.String(), func(t *testing.T) {
			_, answer := send(t, newHandler(t, Everywhere{Mode: mode}).Validate(), "application/json", review)
			golden(t, filepath.Join("testdata", "mode-"+mode.String()+".golden"), answer+"\n")
		})
	}
	t.Run("a wrong label", func(t *testing.T) {
		labels := map[string]string{workload.LabelMode: "enforced", workload.LabelInject: "yes"}
		s := Everywhere(validate.NamespaceSettings(labels, validate.Settings{}))
		_, answer := send(t, newHandler(t, s).Validate(), "application/json", review)
		golden(t, filepath.Join("testdata", "mode-illegal.golden"), answer+"\n")
	})
}

func TestNamespaceLabels(t *testing.T) {
	namespace := func(labels string) string {
		return `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop","labels":` + labels + `}}`
	}
	review := func(object, old string) []byte {
		return []byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","kind":{"group":"","version":"v1","kind":"Namespace"},"operation":"UPDATE","name":"shop","object":` + object + `,"oldObject":` + old + `}}`)
	}
	const wrong = `{"probity.dev/mode":"enforced","probity.dev/profile":"lax"}`
	tests := []struct{ name, object, old, want string }{
		{"legal", `{"probity.dev/mode":"warn"}`, `{}`, ""},
		{"illegal", wrong, `{}`, `namespace \"shop\": metadata.labels: label probity.dev/mode: mode \"enforced\" is not legal: must be enforce, warn, audit or off; label probity.dev/profile: profile \"lax\" is not legal: must be baseline or strict`},
		{"illegal before", wrong, wrong, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, answer := send(t, newHandler(t, enforce()).Validate(), "application/json", review(namespace(tt.object), namespace(tt.old)))
			want := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u-1","allowed":true}}`
			if tt.want != "" {
				want = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u-1","allowed":false,"status":{"code":403,"reason":"Forbidden","message":"` + tt.want + `"}}}`
			}
			if diff := cmp.Diff(want, answer); diff != "" {
				t.Error(diff)
			}
		})
	}
}

type namespacesFunc func(string) (validate.Settings, error)

func (f namespacesFunc) Settings(_ context.Context, name string) (validate.Settings, error) {
	return f(name)
}

func TestFaultsAreStatus500(t *testing.T) {
	review := []byte(podWith(`{"name":"app","livenessProbe":{"tcpSocket":{"port":1}}}`))
	t.Run("a namespace that nobody can read", func(t *testing.T) {
		h := newHandler(t, namespacesFunc(func(string) (validate.Settings, error) { return validate.Settings{}, errors.New("etcd is away") }))
		for _, endpoint := range []http.Handler{h.Validate(), h.Mutate()} {
			code, answer := send(t, endpoint, "application/json", review)
			if code != http.StatusInternalServerError || answer != "uid u-1: etcd is away\n" {
				t.Errorf("got %d %q", code, answer)
			}
		}
	})
	t.Run("a panic ends one request and is counted", func(t *testing.T) {
		h := newHandler(t, namespacesFunc(func(string) (validate.Settings, error) { panic("no rule is perfect") }))
		code, answer := send(t, h.Validate(), "application/json", review)
		if code != http.StatusInternalServerError || answer != "internal error of Probity; its log has the details\n" {
			t.Errorf("got %d %q", code, answer)
		}
		if n := testutil.ToFloat64(h.Metrics.panics.WithLabelValues("validate")); n != 1 {
			t.Errorf("counted %v panics", n)
		}
	})
}

func FuzzReview(f *testing.F) {
	f.Add([]byte(podWith(`{"name":"app","livenessProbe":{"exec":{"command":["sh","-c","pg_isready -h db"]}}}`)))
	f.Add([]byte(podReview))
	h := newHandler(f, enforce())
	validating, mutating := h.Validate(), h.Mutate()
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, endpoint := range []http.Handler{validating, mutating} {
			code, answer := send(t, endpoint, "application/json", body)
			if code != http.StatusOK && code/100 != 4 {
				t.Fatalf("%d %s", code, answer)
			}
		}
	})
}

// TestManyContainersStayCheap: the answer to an object of any size is bounded, and
// the work for it grows with its size only (a quadratic one would not end here).
func TestManyContainersStayCheap(t *testing.T) {
	var containers []string
	for i := range 5_000 {
		containers = append(containers, `{"name":"c`+strconv.Itoa(i)+`","livenessProbe":{"httpGet":{"path":"/health/db","port":8080}}}`)
	}
	h := newHandler(t, enforce())
	h.Log = funcr.New(func(_, line string) {
		if len(line) > 8<<10 { // some dozen such lines are all that wait for a slow reader
			t.Errorf("a line of the log has %d bytes", len(line))
		}
	}, funcr.Options{})
	faulty := podWith(strings.Join(containers, ","))
	code, answer := send(t, h.Validate(), "application/json", []byte(faulty))
	if code != http.StatusOK || len(answer) > 64<<10 || !strings.Contains(answer, "- and 4950 more") {
		t.Errorf("got %d and %d bytes", code, len(answer))
	}
	code, answer = send(t, h.Mutate(), "application/json", []byte(strings.ReplaceAll(faulty, "/health/db", "/livez")))
	if code != http.StatusOK || !strings.Contains(answer, `"patchType":"JSONPatch"`) {
		t.Errorf("got %d %.200s", code, answer)
	}
}

// TestAnyBodyTakesLittleMemory: none takes many times its size, whatever it is full of.
func TestAnyBodyTakesLittleMemory(t *testing.T) {
	valid, full := podWith(`{"name":"app"}`), func(item string) string { return strings.Repeat(item, 1<<20/len(item)) }
	for name, body := range map[string]string{
		"containers": podWith(full("{},") + "{}"),
		"a kind":     strings.Replace(valid, `"AdmissionReview"`, `"`+full("\xff")+`"`, 1),
		"a version":  strings.Replace(valid, `"admission.k8s.io/v1"`, `"`+full("\xff")+`"`, 1),
		"a uid":      strings.NewReplacer(`"u-1"`, `"`+full("\xff")+`"`, `"AdmissionReview"`, `""`).Replace(valid),
		"groups":     strings.Replace(valid, `"userInfo":{`, `"userInfo":{"groups":[`+full(`"",`)+`""],`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHandler(t, enforce())
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			code, answer := send(t, h.Validate(), "application/json", []byte(body))
			runtime.ReadMemStats(&after)
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 25*uint64(len(body)) || len(answer) > 64<<10 {
				t.Errorf("got %d and %d bytes; %d were allocated for a review of %d", code, len(answer), allocated, len(body))
			}
		})
	}
}

// TestManyInjectedProbesStayCheap: as above, of probes that were injected and are not
// what is asked for now. What is allocated shows whether the names are read once.
func TestManyInjectedProbesStayCheap(t *testing.T) {
	var containers, names []string
	for i := range 20_000 {
		names = append(names, "c"+strconv.Itoa(i))
		containers = append(containers, `{"name":"`+names[i]+`","livenessProbe":{"tcpSocket":{"port":1}},"startupProbe":{"tcpSocket":{"port":1}}}`)
	}
	review := `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","kind":{"group":"apps","version":"v1","kind":"Deployment"},` +
		`"operation":"CREATE","namespace":"shop","userInfo":{"username":"alice"},"object":{"apiVersion":"apps/v1","kind":"Deployment",` +
		`"metadata":{"name":"web","annotations":{"probity.dev/startup-budget":"20m"}},"spec":{"template":{"metadata":{"annotations":{"probity.dev/injected":"startup:` +
		strings.Join(names, ",") + `"}},"spec":{"containers":[` + strings.Join(containers, ",") + `]}}}}}}`
	h := newHandler(t, enforce())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	code, answer := send(t, h.Validate(), "application/json", []byte(review))
	runtime.ReadMemStats(&after)
	if code != http.StatusOK || len(answer) > 64<<10 || !strings.Contains(answer, "asks for 20m") {
		t.Errorf("got %d and %d bytes: %.300s", code, len(answer), answer)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 100*uint64(len(review)) {
		t.Errorf("%d bytes were allocated for a review of %d", allocated, len(review))
	}
}
