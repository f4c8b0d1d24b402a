package webhook

import (
	"net/http"
	"testing"

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

func creating(object []byte) []byte {
	review := []byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","kind":{"group":"apps","version":"v1","kind":"Deployment"},` +
		`"name":"web","namespace":"shop","operation":"CREATE","userInfo":{"username":"alice"},"object":`)
	return append(append(review, object...), "}}"...)
}
