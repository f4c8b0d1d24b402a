package validate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/workload"
)

// TestCases judges manifests after faults from real reports, and correct ones
// that a careless checker would refuse, as `probity check` does: each file as one
// bundle, in the baseline. What must come out stands in the file's header:
//
//	# verdict: deny | warn | allow | invalid
//	# finds: deny liveness-dependency-exec
//	# error: 12: ... must be ...
//
// -update writes findings and errors; a verdict is written by hand.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	policy := MustPolicy(Baseline)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, about := parseOutcome(string(data))
			got := judgeFile(filepath.Base(file), data, policy)
			if *update {
				want.Finds, want.Errors = got.Finds, got.Errors
				updateCase(t, file, string(data), about, want)
				got = judgeFile(filepath.Base(file), rereadCase(t, file), policy)
				want.Errors = got.Errors // the header's length moves their lines
				updateCase(t, file, string(rereadCase(t, file)), about, want)
			}
			if about == "" {
				t.Error("the header must say why the verdict is right")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-header +given):\n%s", diff)
			}
		})
	}
}

// outcome is what comes of a file.
type outcome struct {
	Verdict string
	// Finds are "ACTION RULE", sorted, each once.
	Finds []string
	// Errors are "LINE: MESSAGE".
	Errors []string
}

func judgeFile(name string, data []byte, policy *Policy) outcome {
	var o outcome
	var objects []*workload.Object
	var found []Finding
	illegal := false
	for d := range workload.DefaultKinds().Documents(name, data) {
		for _, e := range d.Errors {
			o.Errors = append(o.Errors, fmt.Sprintf("%d: %s", e.Line, e.Message))
			illegal = illegal || e.Once == "" // a kind that is not judged may be legal
		}
		objects = append(objects, d.Object)
		if d.Object != nil && d.Object.Workload != nil {
			found = append(found, Evaluate(d.Object.Workload, policy)...)
		}
	}
	for _, f := range EvaluateBundle(objects, policy) {
		found = append(found, f.Finding)
	}
	worst := Off
	for _, f := range found {
		worst = max(worst, f.Action)
		o.Finds = append(o.Finds, f.Action.String()+" "+f.Rule)
	}
	slices.Sort(o.Finds)
	o.Finds = slices.Compact(o.Finds)
	switch {
	case illegal:
		o.Verdict = "invalid"
	case worst == Off:
		o.Verdict = "allow"
	default:
		o.Verdict = worst.String()
	}
	return o
}

// parseOutcome reads a header; what is no directive is about why.
func parseOutcome(text string) (o outcome, about string) {
	for line := range strings.Lines(text) {
		line, comment := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "# ")
		if !comment {
			break
		}
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "verdict":
			o.Verdict = value
		case "finds":
			o.Finds = append(o.Finds, value)
		case "error":
			o.Errors = append(o.Errors, value)
		default:
			about += "# " + line + "\n"
		}
	}
	return o, about
}

func updateCase(t *testing.T, file, text, about string, o outcome) {
	t.Helper()
	for strings.HasPrefix(text, "# ") {
		_, text, _ = strings.Cut(text, "\n")
	}
	header := about + "# verdict: " + o.Verdict + "\n"
	for _, f := range o.Finds {
		header += "# finds: " + f + "\n"
	}
	for _, e := range o.Errors {
		header += "# error: " + e + "\n"
	}
	if err := os.WriteFile(file, []byte(header+text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func rereadCase(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
