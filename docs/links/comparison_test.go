package main

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestTheComparisonCountsTheCases: the numbers of manifests in docs/comparison.md are
// those of the cases. Whoever adds a case also runs the page's loops over it, since it
// may be one that the other tools know of.
func TestTheComparisonCountsTheCases(t *testing.T) {
	tree := os.DirFS("../..")
	files, err := fs.Glob(tree, "validate/testdata/cases/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	verdict := regexp.MustCompile(`(?m)^# verdict: (\w+)$`)
	counts := map[string]int{}
	for _, file := range files {
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			t.Fatal(err)
		}
		if v := verdict.FindStringSubmatch(string(text)); v != nil {
			counts[v[1]]++
		}
	}
	page, err := fs.ReadFile(tree, "docs/comparison.md")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(page)), " ") // however its lines are broken
	for _, want := range []string{
		fmt.Sprintf("holds %d manifests", len(files)),
		fmt.Sprintf("| faults that `baseline` refuses | %d |", counts["deny"]),
		fmt.Sprintf("| faults that it warns of | %d |", counts["warn"]),
		fmt.Sprintf("| correct manifests | %d |", counts["allow"]),
		fmt.Sprintf("| manifests that the API server would refuse | %d |", counts["invalid"]),
	} {
		if !strings.Contains(words, want) {
			t.Errorf("docs/comparison.md does not say %q: run its loops over the cases that are new, and correct its numbers", want)
		}
	}
}
