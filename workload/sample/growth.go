//go:build unix

package sample

import (
	"syscall"
	"testing"
	"time"
)

// Growth benchmarks the judging of odd objects of n and of 4n, and tells how much
// more the larger one costs for each of its bytes: 1 is linear, 4 is quadratic.
// cpu-ms is what the larger one takes on all cores, garbage collection included;
// it is the CPU's time, which the machine's other load disturbs less.
func Growth(b *testing.B, all []Odd, n int, judge func(b *testing.B, object []byte)) {
	for _, odd := range all {
		b.Run(odd.Name, func(b *testing.B) {
			small, large := odd.Of(n), odd.Of(4*n)
			judge(b, small) // what is made once
			var costs [2]time.Duration
			for b.Loop() {
				start := CPU(b)
				for range 4 {
					judge(b, small)
				}
				middle := CPU(b)
				judge(b, large)
				costs[0] += middle - start
				costs[1] += CPU(b) - middle
			}
			b.ReportMetric(float64(costs[1])/float64(costs[0])*float64(4*len(small))/float64(len(large)), "growth")
			b.ReportMetric(float64(costs[1])/float64(b.N)/float64(time.Millisecond), "cpu-ms")
			b.ReportMetric(0, "ns/op") // of five objects, which says nothing
		})
	}
}

// CPU is what this process has used of all cores.
func CPU(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
