package workload

import "testing"

func BenchmarkDecodeDeployment(b *testing.B) {
	k := DefaultKinds()
	b.SetBytes(int64(len(deployment)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := k.Decode([]byte(deployment)); err != nil {
			b.Fatal(err)
		}
	}
}
