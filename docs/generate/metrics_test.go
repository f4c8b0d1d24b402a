package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEveryMetricHasHelpAndLabelsOfFewValues(t *testing.T) {
	all, err := readMetrics("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 8 {
		t.Errorf("only %d metrics were found", len(all))
	}
	for _, problem := range metricProblems(all) {
		t.Error(problem)
	}
}

func TestMetricsAreReadFromTheCode(t *testing.T) {
	const code = `package part

import prom "github.com/prometheus/client_golang/prometheus"

const prefix, mode = "probity_part_", "mode"

func register(r prom.Registerer) {
	r.MustRegister(
		prom.NewCounterVec(prom.CounterOpts{Name: prefix + "seen_total", Help: "What was seen, " +
			"and where."}, []string{mode, "kind"}),
		prom.NewGaugeFunc(prom.GaugeOpts{Name: "probity_part_age_seconds", Help: "Age."}, nil),
		prom.NewHistogram(prom.HistogramOpts{Name: "probity_part_seconds", Help: "Time."}),
	)
	prom.NewDesc("probity_part_all", "All of them.", nil, nil)
}
`
	root := t.TempDir()
	folder := filepath.Join(root, "part")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "part.go"), []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readMetrics(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []metric{
		{"probity_part_age_seconds", "gauge", "Age.", nil, "part/part.go:11"},
		{"probity_part_all", "gauge", "All of them.", nil, "part/part.go:14"},
		{"probity_part_seconds", "histogram", "Time.", nil, "part/part.go:12"},
		{"probity_part_seen_total", "counter", "What was seen, and where.", []string{"mode", "kind"}, "part/part.go:9"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMetricProblems(t *testing.T) {
	got := metricProblems([]metric{
		{"probity_good_total", "counter", "Good ones.", []string{"mode"}, "a.go:1"},
		{"probity_good_total", "counter", "Good ones.", nil, "a.go:2"},
		{"probity_silent", "gauge", "", nil, "a.go:3"},
		{"bare_total", "gauge", "All.", []string{"namespace"}, "a.go:4"},
	})
	want := []string{
		"a.go:2: probity_good_total is declared at a.go:1 too",
		`a.go:3: probity_silent must have a help text of whole sentences, is ""`,
		"a.go:4: bare_total must begin with probity_",
		"a.go:4: bare_total is a gauge: counters, and only they, end in _total",
		`a.go:4: bare_total has the label "namespace", whose values nobody has named: when they are few, name them in docs/generate/labels.go`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMetricsThatAreNamedExist holds the dashboard, the alerts and the documents
// to the code.
func TestMetricsThatAreNamedExist(t *testing.T) {
	all, err := readMetrics("../..")
	if err != nil {
		t.Fatal(err)
	}
	exists := map[string]bool{}
	for _, m := range all {
		exists[m.Name], exists[metricPrefix+m.part()+"_*"] = true, true
		if m.Type == "histogram" {
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				exists[m.Name+suffix] = true
			}
		}
	}
	var files []string
	for _, pattern := range []string{"../*.md", "../../*.md", "../../manifests/monitoring/*"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	name := regexp.MustCompile(`\bprobity_[a-z0-9_]+`)
	archive := regexp.MustCompile(`^probity_v[0-9]`) // of a release, as in probity_v0.1.0_linux_amd64.tar.gz
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.IsDir() {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, used := range name.FindAllString(string(text), -1) {
			if strings.HasSuffix(used, "_") { // of probity_audit_*
				used += "*"
			}
			if !exists[used] && !archive.MatchString(used) {
				t.Errorf("%s names %s, which no code registers", file, used)
			}
		}
	}
}
