package edge_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/probity-dev/probity/certs"
	"github.com/probity-dev/probity/edge"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
	"github.com/probity-dev/probity/webhook"
)

// review is an allowed one.
const review = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","kind":{"group":"","version":"v1","kind":"Pod"},"operation":"CREATE","namespace":"shop","userInfo":{"username":"alice"},"object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"app"}]}}}}`

const allowed = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u-1","allowed":true}}`

// deadline bounds what a test waits for, on a machine that is busy.
const deadline = 4 * time.Minute

// running is a server as serve starts it, with webhooks that judge every review.
type running struct {
	server   *edge.Server
	addr     string
	roots    *x509.CertPool
	registry *prometheus.Registry

	mu    sync.Mutex
	lines []string
}

func start(t testing.TB, clients *edge.Clients) *running {
	t.Helper()
	certificate, err := certs.SelfSigned(time.Now(), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	r := &running{roots: x509.NewCertPool(), registry: prometheus.NewRegistry()}
	r.roots.AppendCertsFromPEM(certificate.CA())
	r.server = edge.New(edge.Options{Addr: "127.0.0.1:0", TLS: certificate.TLS, Clients: clients, Metrics: r.registry, Log: r.log()})
	c := config.Default()
	h := webhook.New(webhook.Ruling{Kinds: c.Kinds(), Policies: c.Policies()}, webhook.Options{
		Namespaces: webhook.Everywhere{Mode: validate.ModeEnforce, Injection: validate.ModeEnforce.DefaultInjection()},
		Metrics:    webhook.NewMetrics(r.registry), Log: logr.Discard(),
	})
	r.server.Register("/validate", h.Validate())
	r.server.Register("/mutate", h.Mutate())
	r.server.WebhookMux().HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })

	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.server.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Logf("end of the server: %v", err) // a connection that a test left open
		}
	})
	eventually(t, func() bool { return r.server.StartedChecker()(nil) == nil })
	r.addr = r.server.Addr().String()
	return r
}

func eventually(t testing.TB, condition func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(context.Background(), 5*time.Millisecond, deadline, true, func(context.Context) (bool, error) { return condition(), nil })
	if err != nil {
		t.Fatal("it did not happen in time")
	}
}

// client speaks HTTP/2 as API servers do, on connections of its own.
func (r *running) client(t testing.TB, own ...tls.Certificate) *http.Client {
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: r.roots, Certificates: own}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: deadline}
}

// post sends a body to /validate.
func (r *running) post(t testing.TB, client *http.Client, body []byte, headers ...string) (code int, answer string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+r.addr+"/validate?timeout=2s", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, strings.TrimSpace(string(text))
}

// answers fails unless an ordinary review gets its answer on a new connection.
func (r *running) answers(t testing.TB) {
	t.Helper()
	if code, answer := r.post(t, r.client(t), []byte(review)); code != http.StatusOK || answer != allowed {
		t.Errorf("an ordinary review got %d %s", code, answer)
	}
}

// log takes down the lines that are written without --debug.
func (r *running) log() logr.Logger {
	return funcr.New(func(_, line string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.lines = append(r.lines, line)
	}, funcr.Options{})
}

func (r *running) told() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

// metric sums a metric over its labels.
func (r *running) metric(t testing.TB, name string) (sum float64) {
	t.Helper()
	return metric(t, r.registry, name)
}

func metric(t testing.TB, registry *prometheus.Registry, name string) (sum float64) {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return sum
}
