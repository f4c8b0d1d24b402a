package webhook

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/probity-dev/probity/workload/sample"
)

// BenchmarkGrowth judges odd objects through both endpoints.
func BenchmarkGrowth(b *testing.B) {
	h := newHandler(b, enforce())
	both := []http.Handler{h.Validate(), h.Mutate()}
	judge := func(b *testing.B, object []byte) {
		review := creating(object)
		for _, endpoint := range both {
			if code, answer := send(b, endpoint, "application/json", review); code != http.StatusOK {
				b.Fatal(code, answer)
			}
		}
	}
	b.Run("objects", func(b *testing.B) { sample.Growth(b, sample.OddObjects(), 1_000, judge) })
	b.Run("scripts", func(b *testing.B) { sample.Growth(b, sample.OddScripts(), 1_000, judge) })
}

// BenchmarkRefusal tells what a refusal costs beside an allow of the same object,
// x-allow, in turns: with a fault in one container, and in each.
func BenchmarkRefusal(b *testing.B) {
	h := newHandler(b, enforce()).Validate()
	for name, body := range benchReviews(b) {
		for faulty, n := range map[string]int{"one fault": 1, "faults everywhere": -1} {
			b.Run(name+"/"+faulty, func(b *testing.B) {
				refused := []byte(strings.Replace(string(body), "/livez", "/readyz", n))
				var allows, refusals time.Duration
				for b.Loop() {
					start := sample.CPU(b)
					answers(b, h, body, `"allowed":true`)
					middle := sample.CPU(b)
					answers(b, h, refused, `"allowed":false`)
					allows, refusals = allows+middle-start, refusals+sample.CPU(b)-middle
				}
				b.ReportMetric(float64(refusals)/float64(allows), "x-allow")
				b.ReportMetric(float64(refusals)/float64(b.N)/float64(time.Millisecond), "cpu-ms")
				b.ReportMetric(0, "ns/op") // of both
			})
		}
	}
}

func answers(b *testing.B, h http.Handler, body []byte, want string) {
	if code, answer := send(b, h, "application/json", body); code != http.StatusOK || !strings.Contains(answer, want) {
		b.Fatal(code, answer)
	}
}

func creating(object []byte) []byte {
	review := []byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","kind":{"group":"apps","version":"v1","kind":"Deployment"},` +
		`"name":"web","namespace":"shop","operation":"CREATE","userInfo":{"username":"alice"},"object":`)
	return append(append(review, object...), "}}"...)
}
