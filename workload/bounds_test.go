package workload

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listed is a Pod with n times an item at %s.
func listed(spec, item string, n int) []byte {
	return []byte(fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{`+spec+`}}`, strings.TrimSuffix(strings.Repeat(item+",", n), ",")))
}

// TestListsOfAnyLengthTakeBoundedMemory: two bytes of a request become an item of
// hundreds, in both decoders; the general one reads what a wrong field is in.
func TestListsOfAnyLengthTakeBoundedMemory(t *testing.T) {
	const mistyped = `"hostNetwork":"yes",`
	for name, spec := range map[string]struct{ spec, item string }{
		"containers":      {`"containers":[%s]`, `{}`},
		"null containers": {`"containers":[%s]`, `null`},
		"init containers": {`"initContainers":[%s]`, `{}`},
		"ports":           {`"containers":[{"name":"a","ports":[%s]}]`, `{}`},
		"headers":         {`"containers":[{"name":"a","livenessProbe":{"httpGet":{"port":1,"httpHeaders":[%s]}}}]`, `{}`},
		"arguments":       {`"containers":[{"name":"a","args":[%s]}]`, `""`},
		"variables":       {`"containers":[{"name":"a","livenessProbe":{"exec":{"command":["true"]}},"env":[%s]}]`, `{}`},
	} {
		for decoder, before := range map[string]string{"by hand": "", "general": mistyped} {
			t.Run(name+", "+decoder, func(t *testing.T) {
				data := listed(before+spec.spec, spec.item, 1_000_000)
				var start, end runtime.MemStats
				runtime.ReadMemStats(&start)
				if _, err := DefaultKinds().Decode(data); err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&end)
				if allocated := end.TotalAlloc - start.TotalAlloc; allocated > 40<<20 {
					t.Errorf("%d MiB were allocated for %d MiB", allocated>>20, len(data)>>20)
				}
			})
		}
	}
}

func TestContainersThatAreNotReadAreTold(t *testing.T) {
	for _, before := range []string{"", `"hostNetwork":"yes",`} {
		for n, want := range map[int][]Problem{
			maxItems - 1: nil,
			maxItems + 5: {{Path: "spec.containers", Message: "lists 10000 or more; only the first 10000 are read"}},
		} {
			o, err := DefaultKinds().Decode(listed(before+`"containers":[%s]`, `{"name":"a"}`, n))
			if err != nil {
				t.Fatal(err)
			}
			problems := o.Workload.Problems
			if before != "" {
				problems = problems[1:]
			}
			if diff := cmp.Diff(want, problems, cmp.Transformer("", func(p []Problem) []Problem { return append([]Problem{}, p...) })); diff != "" {
				t.Error(n, diff)
			}
			if got := len(o.Workload.Pod.Containers); got != min(n, maxItems) {
				t.Errorf("%d of %d containers were read", got, n)
			}
		}
	}
}
