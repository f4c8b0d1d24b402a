package main

import (
	"bytes"
	"io"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/workload/sample"
)

// BenchmarkGrowth checks odd objects, as JSON and as YAML.
func BenchmarkGrowth(b *testing.B) {
	check := func(b *testing.B, file []byte) {
		p := program{name: "probity", stdin: bytes.NewReader(file), stdout: stream{io.Discard, 0}, stderr: stream{io.Discard, 0}, getenv: func(string) string { return "" }}
		if status := p.run([]string{"check", "-"}); status > exitUnusable {
			b.Fatal(status)
		}
	}
	for name, all := range map[string][]sample.Odd{"objects": sample.OddObjects(), "scripts": sample.OddScripts(), "bundles": sample.OddBundles()} {
		b.Run(name, func(b *testing.B) {
			b.Run("JSON", func(b *testing.B) { sample.Growth(b, all, 1_000, check) })
			b.Run("YAML", func(b *testing.B) { sample.Growth(b, inYAML(b, all), 1_000, check) })
		})
	}
}

func inYAML(b *testing.B, all []sample.Odd) []sample.Odd {
	b.Helper()
	written := make([]sample.Odd, len(all))
	for i, odd := range all {
		written[i] = sample.Odd{Name: odd.Name, Of: func(n int) []byte {
			text, err := yaml.JSONToYAML(odd.Of(n))
			if err != nil {
				b.Fatal(err)
			}
			return text
		}}
	}
	return written
}
