// Package spelling finds the name that was likely meant.
package spelling

import "strings"

// Nearest returns the name that was likely meant, or "" when none is close: at
// most two mistakes, in a short name one.
func Nearest(name string, names []string) string {
	best, least := "", 3
	for _, n := range names {
		d := edits(strings.ToLower(name), strings.ToLower(n))
		if d < least && d <= (len(name)+len(n))/4 {
			best, least = n, d
		}
	}
	return best
}

// edits counts the letters to add, drop or replace between two names
// (Levenshtein's distance); names of very different length count as far apart.
func edits(a, b string) int {
	if d := len(a) - len(b); d > 8 || d < -8 {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
