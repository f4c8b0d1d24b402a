package validate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLabelsThatDoNothingAreNamedWithTheOneThatWasMeant(t *testing.T) {
	for name, test := range map[string]struct {
		labels map[string]string
		want   []string
	}{
		"none":                 {nil, nil},
		"those that are read":  {map[string]string{"probity.dev/mode": "on", "probity.dev/profile": "", "probity.dev/inject": "all"}, nil},
		"those of others":      {map[string]string{"mode": "warn", "example.com/profil": "strict", "probity.device/mode": "warn"}, nil},
		"one that is misspelt": {map[string]string{"probity.dev/profil": "strict"}, []string{"label probity.dev/profil on a namespace does nothing; did you mean probity.dev/profile?"}},
		"one in another case":  {map[string]string{"probity.dev/Mode": "warn"}, []string{"label probity.dev/Mode on a namespace does nothing; did you mean probity.dev/mode?"}},
		"an annotation of a workload": {
			map[string]string{"probity.dev/startup-budget": "10m"},
			[]string{"label probity.dev/startup-budget on a namespace does nothing; set it in metadata.annotations of the workload"},
		},
		"one like none": {
			map[string]string{"probity.dev/severity": "high"},
			[]string{"label probity.dev/severity on a namespace does nothing; Probity reads probity.dev/mode, probity.dev/profile and probity.dev/inject"},
		},
		"many, by name": {
			map[string]string{"probity.dev/mod": "warn", "probity.dev/inejct": "all"},
			[]string{
				"label probity.dev/inejct on a namespace does nothing; did you mean probity.dev/inject?",
				"label probity.dev/mod on a namespace does nothing; did you mean probity.dev/mode?",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, UnknownLabels(test.labels)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
