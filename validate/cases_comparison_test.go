package validate

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheComparisonCountsTheCases: docs/comparison.md says how many cases there are.
// -update writes the numbers. Those of the other tools are of a run by hand: whoever
// adds a case runs the page's loops over it, since they may know of its fault.
func TestTheComparisonCountsTheCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := parseOutcome(string(text))
		counts[want.Verdict]++
	}
	const page = "../docs/comparison.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	right := string(text)
	for _, row := range []struct {
		pattern string
		count   int
	}{
		{`(holds )\d+( manifests)`, len(files)},
		{"(\\| faults that `baseline` refuses \\| )\\d+( \\|.*\\| )\\d+( \\|\n)", counts["deny"]},
		{`(\| faults that it warns of \| )\d+( \|.*\| )\d+( \|\n)`, counts["warn"]},
		{`(\| correct manifests \| )\d+( \|)`, counts["allow"]},
		{`(\| manifests that the API server would refuse \| )\d+( \|.*\| )\d+( \|\n)`, counts["invalid"]},
	} {
		pattern := regexp.MustCompile(row.pattern)
		if !pattern.MatchString(right) {
			t.Fatalf("%s has no %s", page, row.pattern)
		}
		n := strconv.Itoa(row.count)
		right = pattern.ReplaceAllString(right, map[int]string{2: "${1}" + n + "${2}", 3: "${1}" + n + "${2}" + n + "${3}"}[pattern.NumSubexp()])
	}
	if *update {
		if err := os.WriteFile(page, []byte(right), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text), right); diff != "" {
		t.Errorf("run the loops of %s over the new cases, and this test with -update (-page +counted)\n%s", page, diff)
	}
}
