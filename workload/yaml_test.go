package workload

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// FuzzYAML holds the reader to kubectl's: a document that sigs.k8s.io/yaml
// converts, gives the same values here or an error.
func FuzzYAML(f *testing.F) {
	for _, text := range yamlSeeds {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for c := range Split("fuzz.yaml", text) {
			// The parsers differ on tags without a name.
			want, err := yaml.YAMLToJSON(c.Data)
			if err != nil || bytes.IndexByte(c.Data, '!') >= 0 {
				continue
			}
			got, err := readYAML(c.Data, c.Line)
			if err != nil {
				continue // kubectl's parser stops at the first node; this one reads on
			}
			if diff := cmp.Diff(values(t, string(want)), values(t, asJSON(got))); diff != "" {
				t.Fatalf("%q (-kubectl +got)\n%s", c.Data, diff)
			}
		}
	})
}

func values(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
