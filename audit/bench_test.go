package audit

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/probity-dev/probity/workload"
)

// fleet is an API server with Deployments that it makes up while they are read, so
// that its own memory does not count: as an API server of v1.37 sends them, with
// three containers and managedFields.
type fleet struct {
	namespaces, each int
	// parts are a Deployment's JSON between which its name stands.
	parts []string
	// asked is called for each list of Deployments, and after the last of a
	// namespace.
	asked func()
	bytes int64
}

func newFleet(tb testing.TB, namespaces, each int) *fleet {
	tb.Helper()
	data, err := os.ReadFile("../webhook/testdata/bench/deployment.json")
	if err != nil {
		tb.Fatal(err)
	}
	object, err := workload.Raw(data, "/request/object")
	if err != nil {
		tb.Fatal(err)
	}
	var o map[string]any
	if err := json.Unmarshal(object, &o); err != nil {
		tb.Fatal(err)
	}
	delete(o, "apiVersion")
	delete(o, "kind")
	meta := o["metadata"].(map[string]any)
	meta["namespace"], meta["name"], meta["uid"] = "NAME-", "NAME-", "NAME-"
	text, err := json.Marshal(o)
	if err != nil {
		tb.Fatal(err)
	}
	return &fleet{namespaces: namespaces, each: each, parts: strings.Split(string(text), "NAME-"), asked: func() {}}
}

// RoundTrip answers lists of Deployments; of everything else there is nothing.
func (f *fleet) RoundTrip(r *http.Request) (*http.Response, error) {
	header := http.Header{"Content-Type": []string{"application/json"}}
	if r.URL.Query().Get("limit") == "" {
		return &http.Response{StatusCode: http.StatusNotFound, Header: header, Request: r, Body: io.NopCloser(strings.NewReader(
			`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`))}, nil
	}
	body := &generator{fleet: f}
	if strings.HasSuffix(r.URL.Path, "/statefulsets") {
		f.asked()
	}
	if strings.HasSuffix(r.URL.Path, "/deployments") {
		f.asked()
		limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil {
			return nil, err
		}
		body.next, _ = strconv.Atoi(r.URL.Query().Get("continue"))
		body.end = min(body.next+limit, f.each)
		if body.end < f.each {
			body.token = strconv.Itoa(body.end)
		}
	}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Request: r, Body: io.NopCloser(body)}, nil
}

// generator writes a list.
type generator struct {
	fleet     *fleet
	next, end int
	token     string
	begun     bool
	done      bool
	rest      []byte
}

func (g *generator) Read(to []byte) (int, error) {
	for len(g.rest) == 0 {
		switch {
		case g.done:
			return 0, io.EOF
		case !g.begun:
			g.begun = true
			g.rest = fmt.Appendf(g.rest[:0], `{"kind":"List","metadata":{"continue":%q},"items":[`, g.token)
		case g.next == g.end:
			g.done = true
			g.rest = append(g.rest[:0], "]}"...)
		default:
			g.rest = g.rest[:0]
			g.rest = append(g.rest, strings.Join(g.fleet.parts, fmt.Sprintf("app-%05d", g.next))...)
			if g.next++; g.next < g.end {
				g.rest = append(g.rest, ',')
			}
		}
	}
	n := copy(to, g.rest)
	g.rest = g.rest[n:]
	g.fleet.bytes += int64(n)
	return n, nil
}

func (f *fleet) scanner(tb testing.TB) *Scanner {
	tb.Helper()
	labels := &labelled{all: map[string]*metav1.PartialObjectMetadata{}}
	for i := range f.namespaces {
		labels.label(fmt.Sprintf("team-%04d", i), "enforce")
	}
	s, err := NewScanner(Options{
		Config: &rest.Config{Host: "http://cluster.test", QPS: -1, Transport: f}, Cache: labels, Ruling: ruling(), Interval: 1,
		Metrics: NewMetrics(prometheus.NewRegistry()), Log: logr.Discard(),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// live is what the heap holds once garbage is gone.
func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// peak scans a fleet and returns the most that was live at any list, beyond what
// was before.
func peak(tb testing.TB, namespaces, each int) uint64 {
	tb.Helper()
	f := newFleet(tb, namespaces, each)
	s := f.scanner(tb)
	before, most := live(), uint64(0)
	f.asked = func() { most = max(most, live()) }
	s.scanAll(tb.Context())
	if got := s.metrics.tallies["team-0000"].objects; got != each {
		tb.Fatalf("%d objects were judged in a namespace of %d", got, each)
	}
	return most - min(most, before)
}

// TestMemoryDoesNotGrowWithTheCluster compares clusters of one and of ten times as
// many namespaces of one size.
func TestMemoryDoesNotGrowWithTheCluster(t *testing.T) {
	small, large := peak(t, 4, 250), peak(t, 40, 250)
	if large > small+small/4+1<<20 {
		t.Errorf("%d KiB for 1,000 objects, %d KiB for 10,000", small>>10, large>>10)
	}
	t.Logf("%d KiB for 1,000 objects, %d KiB for 10,000", small>>10, large>>10)
}

// BenchmarkScan audits 10,000 Deployments of 11 KiB in namespaces of several sizes:
// the most memory that is live, and the time an object.
func BenchmarkScan(b *testing.B) {
	for _, each := range []int{25, 250, 2_500, 10_000} {
		b.Run(fmt.Sprintf("%d a namespace", each), func(b *testing.B) {
			namespaces := 10_000 / each
			most := peak(b, namespaces, each)
			f := newFleet(b, namespaces, each)
			s := f.scanner(b)
			b.ReportAllocs()
			for b.Loop() {
				s.scanAll(b.Context())
			}
			b.SetBytes(f.bytes / int64(b.N))
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/object")
			b.ReportMetric(float64(most)/(1<<20), "MiB-live")
		})
	}
}
