package workload

import (
	"strings"
	"testing"
)

// FuzzDocuments: no text makes the reader panic, and every line it names is one
// of the file.
func FuzzDocuments(f *testing.F) {
	for _, text := range yamlSeeds {
		f.Add(text)
		f.Add(podNamed("a") + "---\n" + text)
	}
	f.Add("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items: [{apiVersion: v1, kind: Pod}]\n")
	f.Add(`{"apiVersion":"v1","kind":"Pod"}{"a":1,"a":2}`)
	f.Add(deployment)
	kinds := DefaultKinds()
	f.Fuzz(func(t *testing.T, text string) {
		lines := 1 + strings.Count(text, "\n") + strings.Count(text, "\r")
		for _, name := range []string{"a.yaml", "a.json"} {
			for d := range kinds.Documents(name, []byte(text)) {
				for _, line := range documentLines(&d) {
					if line < 1 || line > lines && !oddBreak(text) {
						t.Fatalf("%s: %q has %d lines, and names line %d: %+v", name, text, lines, line, d.Errors)
					}
				}
				if d.Object == nil && len(d.Errors) == 0 {
					t.Fatalf("%s: %q gives a document without object and error", name, text)
				}
			}
		}
	})
}

func documentLines(d *Document) []int {
	lines := []int{d.Source.Line, d.Line(""), d.Line("spec.containers[0].livenessProbe"), d.Line("items[0].spec")}
	for _, e := range d.Errors {
		lines = append(lines, e.Line)
	}
	return lines
}

// FuzzDecode: no JSON makes the decoder panic, and its problems name fields.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(deployment))
	f.Add([]byte(`{"apiVersion":"v1","kind":"Pod","spec":{"hostNetwork":"yes","containers":[{"name":"a","livenessProbe":{"tcpSocket":{"port":1.5}}}]}}`))
	f.Add([]byte(`{"apiVersion":"batch/v1","kind":"CronJob","spec":{"jobTemplate":{"spec":{"template":null}}}}`))
	f.Add([]byte(`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","spec":{"minAvailable":"50%","selector":{"matchLabels":{"a":1}}}}`))
	f.Add([]byte(`{"apiVersion":"keda.sh/v1alpha1","kind":"ScaledObject","spec":{"scaleTargetRef":{}}}`))
	f.Add([]byte(`{"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","spec":{"workloadRef":{}}}`))
	kinds := DefaultKinds()
	f.Fuzz(func(t *testing.T, data []byte) {
		obj, err := kinds.Decode(data)
		if err != nil {
			if obj != nil {
				t.Fatal("an object beside an error")
			}
			return
		}
		if obj.Workload == nil {
			return
		}
		for _, p := range obj.Workload.Problems {
			if p.Path == "" || p.Message == "" {
				t.Fatalf("problem %+v of %q", p, data)
			}
		}
	})
}

// oddBreak reports whether YAML may see other lines than \n and \r make: Unicode's
// line breaks, and the byte order marks of UTF-16.
func oddBreak(text string) bool {
	return strings.ContainsAny(text, "\u0085\u2028\u2029\ufeff") || strings.Contains(text, "\xff") || strings.Contains(text, "\xfe")
}
