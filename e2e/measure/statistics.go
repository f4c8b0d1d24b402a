package measure

import (
	"cmp"
	"slices"
)

// Median is the value in the middle, the greater one of two. There must be a value.
func Median[T cmp.Ordered](values []T) T { return Quantile(values, 0.5) }

// Quantile is the value that a share q of the others is not above. There must be a
// value.
func Quantile[T cmp.Ordered](values []T, q float64) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// MiB are bytes in MiB.
func MiB(bytes float64) float64 { return bytes / (1 << 20) }
