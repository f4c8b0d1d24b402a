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

// Slope is by how much values grow for each step of at: the median of the slopes
// between every two of them (Theil and Sen). Unlike that of least squares it does not
// follow a few values that are far off, such as those of a moment in which the machine
// was busy, as long as they are fewer than three in ten. There must be two values.
func Slope(at, values []float64) float64 {
	var slopes []float64
	for i := range values {
		for j := range i {
			slopes = append(slopes, (values[i]-values[j])/(at[i]-at[j]))
		}
	}
	return Median(slopes)
}
