package mutate

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

var update = flag.Bool("update", false, "write the patches into the headers of the cases")

// TestCases injects into manifests after faults from real reports. The header of
// each says why, and lists the operations of the patch; no line means no patch:
//
//	# patch: {"op":"add","path":...}
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			about, want, manifest := cutHeader(string(text))
			got := patchOf(t, manifest)
			if *update {
				if err := os.WriteFile(file, []byte(about+got+manifest), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-header +given):\n%s", diff)
			}
		})
	}
}

func cutHeader(text string) (about, patch, manifest string) {
	manifest = text
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "# patch: "):
			patch += line
		case strings.HasPrefix(line, "#"):
			about += line
		default:
			return about, patch, manifest
		}
		manifest = manifest[len(line):]
	}
	return about, patch, manifest
}

func patchOf(t *testing.T, manifest string) (lines string) {
	t.Helper()
	for d := range workload.DefaultKinds().Documents(t.Name(), []byte(manifest)) {
		if len(d.Errors) > 0 || d.Object.Workload == nil {
			t.Fatalf("%v is no legal workload: %v", d.Object, d.Errors)
		}
		w := d.Object.Workload
		in, err := Startup(Object{Workload: w, Raw: d.JSON()}, nil, validate.Evaluate(w, validate.MustPolicy(validate.Baseline)), DefaultStartupBudget)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range in.Patch {
			line, err := json.Marshal(op)
			if err != nil {
				t.Fatal(err)
			}
			lines += "# patch: " + string(line) + "\n"
		}
	}
	return lines
}
