package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/probity-dev/probity/cmd/probity/internal/report"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
	"github.com/probity-dev/probity/workload/sample"
)

// BenchmarkCheck judges 1000 Deployments of three containers in one file of
// 7.5 MB, and beside it splits that file and converts it with sigs.k8s.io/yaml,
// which is what reading alone takes elsewhere. cpu-ms/op is the time on all cores.
func BenchmarkCheck(b *testing.B) {
	file := filepath.Join(b.TempDir(), "deployments.yaml")
	text := sample.Deployments(1000)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("probity check", func(b *testing.B) {
		p := program{name: "probity", stdout: stream{io.Discard, 0}, stderr: stream{io.Discard, 0}, getenv: func(string) string { return "" }}
		measure(b, len(text), func() error {
			if status := p.run([]string{"check", file}); status != exitClean {
				return exitStatus(status)
			}
			return nil
		})
	})
	b.Run("sigs.k8s.io yaml alone", func(b *testing.B) {
		measure(b, len(text), func() error {
			for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
				if _, err := yaml.YAMLToJSON(document); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func measure(b *testing.B, size int, do func() error) {
	b.SetBytes(int64(size))
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		if err := do(); err != nil {
			b.Fatal(err)
		}
	}
	spent := cpuTime(b) - before
	b.ReportMetric(float64(spent)/float64(time.Millisecond)/float64(b.N), "cpu-ms/op")
}

// cpuTime is what this process has used of all cores.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCheckMemory checks ever more files of one Deployment and tells how
// much memory is in use for each once all have been judged: what a budget that
// is yet to come may ask for, and where it stood. Reading itself takes memory
// that does not grow.
func BenchmarkCheckMemory(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 50_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			dir := manyFiles(b, n)
			c := check{judgingFlags: newJudgingFlags()}
			judge := judge{by: validate.Judge{Policy: validate.MustPolicy(validate.Baseline)}, mode: validate.ModeEnforce}
			handler, err := report.New("text", report.Output{Writer: io.Discard})
			if err != nil {
				b.Fatal(err)
			}
			c.program = program{stderr: stream{io.Discard, 0}}
			for b.Loop() {
				before := liveHeap()
				tally, err := c.scan([]string{dir}, workload.DefaultKinds(), judge, handler)
				if err != nil || tally.totals.Objects != n {
					b.Fatal(err, tally.totals)
				}
				b.ReportMetric(float64(int64(liveHeap()-before))/float64(n), "B/workload")
				if err := tally.finish(judge); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func manyFiles(b *testing.B, n int) string {
	b.Helper()
	dir := b.TempDir()
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprintf("team-%d", i/100))
		if err := os.MkdirAll(folder, 0o750); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("app-%d.yaml", i)), sample.Deployment(i), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

// liveHeap is how much memory is in use, without what is waste already.
func liveHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
