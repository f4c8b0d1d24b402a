package workload

import (
	"runtime"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/workload/sample"
)

// The file as `probity check` reads it, against splitting and converting it with
// sigs.k8s.io/yaml, both on all cores.
func BenchmarkReadManifests(b *testing.B) {
	file, kinds := sample.Deployments(1000), DefaultKinds()
	b.Run("probity", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			inParallel(chunks(file), func(c Chunk) {
				for _, d := range kinds.Read(c) {
					if d.Object == nil {
						b.Error(d.Errors)
					}
				}
			})
		}
	})
	b.Run("general parser", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			inParallel(chunks(file), func(c Chunk) {
				if _, err := readYAML(c.Data, c.Line); err != nil {
					b.Error(err)
				}
			})
		}
	})
	b.Run("sigs.k8s.io yaml", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			inParallel(chunks(file), func(c Chunk) {
				if _, err := yaml.YAMLToJSON(c.Data); err != nil {
					b.Error(err)
				}
			})
		}
	})
}

func chunks(file []byte) []Chunk {
	var all []Chunk
	for c := range Split("a.yaml", file) {
		all = append(all, c)
	}
	return all
}

func inParallel(all []Chunk, do func(Chunk)) {
	work := make(chan Chunk)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for c := range work {
				do(c)
			}
		})
	}
	for _, c := range all {
		work <- c
	}
	close(work)
	wait.Wait()
}
