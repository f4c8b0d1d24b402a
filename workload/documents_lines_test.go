package workload

import (
	"fmt"
	"strings"
	"testing"
)

func TestLineIsTheSameInWhateverOrderItIsAsked(t *testing.T) {
	const text = `{
  "apiVersion": "v1", "kind": "Pod",
  "spec": {"containers": [
    {"name": "a", "args": [], "ports": [
      {"containerPort": 1},
      {"containerPort": 2}]},
    {"name": "b", "ports": [
      {"containerPort": 3},

      {"containerPort": 4}
    ]},
    {"name": "c"}]}}
`
	want := map[string]int{
		"kind":                           2,
		"spec.containers[0].args[0]":     4,
		"spec.containers[0].args[-1]":    4,
		"spec.containers[0].ports[1]":    6,
		"spec.containers[1].name":        7,
		"spec.containers[1].ports[0]":    8,
		"spec.containers[1].ports[1]":    10,
		"spec.containers[1].ports[2]":    7,
		"spec.containers[2]":             12,
		"spec.containers[3]":             3,
		"spec.containers[2].ports[0]":    12,
		"spec.containers[0].ports[0].no": 5,
	}
	for d := range DefaultKinds().Documents("a.json", []byte(text)) {
		for first := range want {
			for second := range want {
				d.Line(first)
				if got := d.Line(second); got != want[second] {
					t.Errorf("after %s, %s is on line %d, want %d", first, second, got, want[second])
				}
			}
		}
	}
}

// The lines of as many findings as a document has containers, each in a list of its own:
// the time for one must not grow with their number.
func BenchmarkLine(b *testing.B) {
	for _, containers := range []int{100, 10_000} {
		text := `{"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [` + strings.TrimSuffix(
			strings.Repeat("\n"+`{"livenessProbe": {"exec": {"command": ["a", "b"]}}},`, containers), ",") + `]}}`
		b.Run(fmt.Sprintf("containers=%d", containers), func(b *testing.B) {
			for b.Loop() {
				for d := range DefaultKinds().Documents("a.json", []byte(text)) {
					for i := range containers {
						d.Line(fmt.Sprintf("spec.containers[%d].livenessProbe.exec.command[1]", i))
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(containers), "ns/line")
		})
	}
}
