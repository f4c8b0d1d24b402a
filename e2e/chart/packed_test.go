package chart

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestThePackedChartInstallsTheSame: a release's chart is packed without Helm, so that
// the same files give the same bytes. Both versions of Helm must read it nevertheless.
func TestThePackedChartInstallsTheSame(t *testing.T) {
	path := pack(t)
	for version, helm := range helms {
		for name, pair := range pairs {
			t.Run(name+"/"+version, func(t *testing.T) {
				want, err := helm(chartPath, values(t, pair.values), namespace)
				if err != nil {
					t.Fatal(err)
				}
				got, err := helm(path, values(t, pair.values), namespace)
				if err != nil {
					t.Fatal(err)
				}
				all := slices.Concat(differences(want.objects, got.objects), differences(want.hooks, got.hooks))
				if len(all) > 0 || want.notes != got.notes {
					t.Errorf("packed, the chart is another one:\n%s\nnotes of the folder:\n%s\nof the archive:\n%s", strings.Join(all, "\n"), want.notes, got.notes)
				}
			})
		}
	}
}

// pack has the release tool pack the chart of the version that the tree names, and
// returns the path of the archive.
func pack(t *testing.T) string {
	t.Helper()
	const root, tool = "../..", "../../tools/release"
	text, err := os.ReadFile(filepath.Join(chartPath, "Chart.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var chart struct {
		AppVersion string `json:"appVersion"`
	}
	if err := yaml.Unmarshal(text, &chart); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	fromRoot, err := filepath.Abs(root)
	if err == nil {
		fromRoot, err = filepath.Rel(fromRoot, folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", ".", "assets", "-version="+chart.AppVersion, "-o="+fromRoot)
	cmd.Dir = tool
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("pack the chart: %v\n%s", err, out)
	}
	return filepath.Join(folder, "probity-chart-"+chart.AppVersion+".tgz")
}
