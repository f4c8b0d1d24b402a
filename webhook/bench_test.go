package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// reviewFile is the review of a three-container Deployment without a finding, as
// an API server v1.37 sends it for a create by an ordinary user: defaulted and
// with managedFields.
const reviewFile = "testdata/bench/deployment.json"

// serverEnv names, in a child of the benchmark, the handler that it serves.
const serverEnv = "PROBITY_BENCH_SERVER"

func TestMain(m *testing.M) {
	if name := os.Getenv(serverEnv); name != "" {
		serveBench(name)
		return
	}
	os.Exit(m.Run())
}

// benchHandlers are what the benchmark compares: the wire alone, Probity, and
// controller-runtime's webhook with the usual typed decode and nothing else.
func benchHandlers() map[string]http.Handler {
	typed := &admission.Webhook{Handler: admission.HandlerFunc(func(_ context.Context, r admission.Request) admission.Response {
		var d appsv1.Deployment
		if err := json.Unmarshal(r.Object.Raw, &d); err != nil {
			return admission.Errored(http.StatusBadRequest, err)
		}
		return admission.Allowed("")
	})}
	empty := &admission.Webhook{Handler: admission.HandlerFunc(func(context.Context, admission.Request) admission.Response { return admission.Allowed("") })}
	return map[string]http.Handler{
		"echo": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(allowed(nil, "00000000-0000-4000-8000-000000000001"))
		}),
		"typed": typed, "empty": empty,
		"probity": newHandler(&testing.B{}, enforce()).Validate(),
	}
}

// serveBench serves one handler on one core until standard input closes. It
// prints its address first; /cpu answers with the CPU time it has used.
func serveBench(name string) {
	mux := http.NewServeMux()
	mux.Handle("/validate", benchHandlers()[name])
	mux.HandleFunc("/cpu", func(w http.ResponseWriter, _ *http.Request) {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, u.Utime.Nano()+u.Stime.Nano())
	})
	s := httptest.NewUnstartedServer(mux)
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	fmt.Println(s.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// benchServer is a child that serves one handler.
type benchServer struct {
	url    string
	client *http.Client
	cpu    time.Duration // used for reviews so far
	n      int           // reviews so far
}

func startBenchServer(b *testing.B, name string) *benchServer {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), serverEnv+"="+name, "GOMAXPROCS=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	var url string
	if _, err := fmt.Fscanln(stdout, &url); err != nil {
		b.Fatal(err)
	}
	return &benchServer{url: url, client: &http.Client{Transport: &http.Transport{
		ForceAttemptHTTP2: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, // its own child
	}}}
}

func (s *benchServer) post(body []byte) error {
	resp, err := s.client.Post(s.url+"/validate", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK || !bytes.Contains(answer, []byte(`"allowed":true`)) || bytes.Contains(answer, []byte("warnings")) {
		return fmt.Errorf("%s: %s", resp.Status, answer)
	}
	return nil
}

func (s *benchServer) used(b *testing.B) time.Duration {
	b.Helper()
	resp, err := s.client.Get(s.url + "/cpu")
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	var ns int64
	if _, err := fmt.Fscan(resp.Body, &ns); err != nil {
		b.Fatal(err)
	}
	return time.Duration(ns)
}

// round sends n reviews in eight streams and adds the CPU time they took.
func (s *benchServer) round(b *testing.B, body []byte, n int) {
	b.Helper()
	before := s.used(b)
	var wg sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(n))
	for range 8 {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if err := s.post(body); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	s.cpu += s.used(b) - before
	s.n += n
}

// perSecond is how many reviews one core answers in a second.
func (s *benchServer) perSecond() float64 { return float64(s.n) / s.cpu.Seconds() }

// BenchmarkHTTP measures the whole path, HTTPS with HTTP/2, on one core: reviews
// per second of the server's CPU time, since the machine's other load does not
// count there. The handlers take turns, so that what disturbs one disturbs all.
func BenchmarkHTTP(b *testing.B) {
	for name, body := range benchReviews(b) {
		b.Run(name, func(b *testing.B) {
			servers := map[string]*benchServer{}
			for handler := range benchHandlers() {
				servers[handler] = startBenchServer(b, handler)
				servers[handler].round(b, body, 500) // warm up
				servers[handler].cpu, servers[handler].n = 0, 0
			}
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				for _, s := range servers {
					s.round(b, body, 500)
				}
			}
			for handler, s := range servers {
				b.ReportMetric(s.perSecond(), handler+"/s")
			}
			b.ReportMetric(1000/servers["probity"].perSecond(), "cpu-ms")
			b.ReportMetric(servers["probity"].perSecond()/servers["typed"].perSecond(), "x-typed")
			b.ReportMetric(servers["probity"].perSecond()/servers["echo"].perSecond(), "of-echo")
			b.ReportMetric(0, "ns/op") // a round, which says nothing
		})
	}
}

// benchReviews are the review as the API server sends it, and the same without
// managedFields and defaults that a client did not write.
func benchReviews(tb testing.TB) map[string][]byte {
	tb.Helper()
	whole, err := os.ReadFile(reviewFile)
	if err != nil {
		tb.Fatal(err)
	}
	return map[string][]byte{"apiserver": whole, "plain": withoutManagedFields(tb, whole), "60 containers": withSixtyContainers(tb, whole)}
}

// withSixtyContainers has each container twenty times, with as much environment as
// makes 200 kB of the review.
func withSixtyContainers(tb testing.TB, review []byte) []byte {
	tb.Helper()
	const size = 200_000
	var r map[string]any
	if err := json.Unmarshal(review, &r); err != nil {
		tb.Fatal(err)
	}
	pod := r["request"].(map[string]any)["object"].(map[string]any)["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	var sixty []any
	for i := range 20 {
		for _, c := range pod["containers"].([]any) {
			again := maps.Clone(c.(map[string]any))
			again["name"] = fmt.Sprintf("%s-%d", again["name"], i)
			sixty = append(sixty, again)
		}
	}
	pod["containers"] = sixty
	for {
		out, err := json.Marshal(r)
		if err != nil {
			tb.Fatal(err)
		}
		if len(out) >= size {
			return out
		}
		for _, c := range sixty {
			c := c.(map[string]any)
			env, _ := c["env"].([]any)
			c["env"] = append(slices.Clip(env), map[string]any{"name": fmt.Sprintf("SETTING_NUMBER_%d", len(env)), "value": "some value of the setting"})
		}
	}
}

func withoutManagedFields(tb testing.TB, review []byte) []byte {
	return edited(tb, review, func(object map[string]any) { delete(object["metadata"].(map[string]any), "managedFields") })
}

func withoutStartup(tb testing.TB, review []byte) []byte {
	return edited(tb, review, func(object map[string]any) {
		containers, _, _ := unstructured.NestedFieldNoCopy(object, "spec", "template", "spec", "containers")
		for _, c := range containers.([]any) {
			delete(c.(map[string]any), "startupProbe")
		}
	})
}

func edited(tb testing.TB, review []byte, edit func(object map[string]any)) []byte {
	tb.Helper()
	var r map[string]any
	if err := json.Unmarshal(review, &r); err != nil {
		tb.Fatal(err)
	}
	edit(r["request"].(map[string]any)["object"].(map[string]any))
	out, err := json.Marshal(r)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// BenchmarkHandler is the handler alone: no network, no TLS.
func BenchmarkHandler(b *testing.B) {
	h := newHandler(b, enforce())
	for name, body := range benchReviews(b) {
		refused := []byte(strings.Replace(string(body), "/livez", "/readyz", 1))
		for label, body := range map[string][]byte{"allow": body, "deny": refused} {
			b.Run(name+"/"+label, func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					if code, answer := send(b, h.Validate(), "application/json", body); code != http.StatusOK {
						b.Fatal(answer)
					}
				}
			})
		}
	}
}

// BenchmarkMutate is the handler that injects a startup probe into every container.
func BenchmarkMutate(b *testing.B) {
	h := newHandler(b, enforce())
	for name, body := range benchReviews(b) {
		body := withoutStartup(b, body)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if code, answer := send(b, h.Mutate(), "application/json", body); code != http.StatusOK || !strings.Contains(answer, "JSONPatch") {
					b.Fatal(code, answer)
				}
			}
		})
	}
}

// BenchmarkDecode is Probity's one pass over review and object, beside the two
// typed steps that are usual.
func BenchmarkDecode(b *testing.B) {
	h := newHandler(b, enforce())
	for name, body := range benchReviews(b) {
		b.Run(name+"/probity", func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decodeReview(body, h.ruling.Load()); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/typed", func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				var review struct {
					Request struct{ Object runtime.RawExtension }
				}
				var d appsv1.Deployment
				if err := json.Unmarshal(body, &review); err != nil {
					b.Fatal(err)
				}
				if err := json.Unmarshal(review.Request.Object.Raw, &d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
