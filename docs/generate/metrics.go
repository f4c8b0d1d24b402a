package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// metric is one metric as the code that registers it has it.
type metric struct {
	Name   string
	Type   string // counter, gauge, histogram or summary
	Help   string
	Labels []string
	// At is the file, from the root of the repository, and the line.
	At string
}

// part is what the metric is about: the word behind "probity_".
func (m metric) part() string {
	part, _, _ := strings.Cut(strings.TrimPrefix(m.Name, metricPrefix), "_")
	return part
}

// metricPrefix is that of every metric of Probity's own.
const metricPrefix = "probity_"

// metricsPage is docs/metrics.md. It fails on a metric that nobody could use.
func metricsPage(root string) (string, error) {
	all, err := readMetrics(root)
	if err != nil {
		return "", err
	}
	if problems := metricProblems(all); len(problems) > 0 {
		return "", fmt.Errorf("metrics:\n%s", strings.Join(problems, "\n"))
	}
	var page strings.Builder
	page.WriteString(generatedMetrics + metricsIntroduction)
	used := map[string]bool{}
	part := ""
	for _, m := range all {
		if m.part() != part {
			part = m.part()
			fmt.Fprintf(&page, "\n## %s\n\n| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n", strings.ToUpper(part[:1])+part[1:])
		}
		for _, l := range m.Labels {
			used[l] = true
		}
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", m.Name, m.Type, quoted(m.Labels), cell(m.Help))
	}
	page.WriteString("\n## Labels\n\n| label | values |\n| --- | --- |\n")
	for _, l := range labelValues() {
		if used[l.name] {
			fmt.Fprintf(&page, "| `%s` | %s |\n", l.name, cell(l.values))
		}
	}
	return page.String(), nil
}

const (
	generatedMetrics    = "<!-- Made by `make generate` from the code that registers the metrics; edit that instead. -->\n\n"
	metricsIntroduction = `# Metrics

Probity shows these at ` + "`/metrics`" + `, in HTTP on ` + "`--metrics-addr`" + ` (` + "`:8080`" + `). Every replica shows its own:
sum counters over them. The same page holds the metrics of Go, of the process, and of controller-runtime
(` + "`controller_runtime_*`, `workqueue_*`, `leader_election_*`" + `).

No label holds what a user can choose freely: what one workload broke is in the log and in Events.
[Operations](operations.md) says what to watch, and [the alert rules](../manifests/monitoring/alerts.yaml) and
[the dashboard](../manifests/monitoring/dashboard.json) do it.
`
)

// cell fits text into a cell of a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

func quoted(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, "`"+name+"`")
	}
	return strings.Join(all, " ")
}

// metricProblems says what is wrong with how metrics are declared.
func metricProblems(all []metric) []string {
	known := map[string]bool{}
	for _, l := range labelValues() {
		known[l.name] = true
	}
	var problems []string
	at := map[string]string{}
	for _, m := range all {
		wrong := func(format string, args ...any) {
			problems = append(problems, fmt.Sprintf("%s: %s ", m.At, m.Name)+fmt.Sprintf(format, args...))
		}
		if !strings.HasPrefix(m.Name, metricPrefix) {
			wrong("must begin with %s", metricPrefix)
		}
		if other, twice := at[m.Name]; twice {
			wrong("is declared at %s too", other)
		}
		at[m.Name] = m.At
		if !strings.HasSuffix(m.Help, ".") {
			wrong("must have a help text of whole sentences, is %q", m.Help)
		}
		if (m.Type == "counter") != strings.HasSuffix(m.Name, "_total") {
			wrong("is a %s: counters, and only they, end in _total", m.Type)
		}
		for _, l := range m.Labels {
			if !known[l] {
				wrong("has the label %q, whose values nobody has named: when they are few, name them in docs/generate/labels.go", l)
			}
		}
	}
	return problems
}

// readMetrics finds every metric that the product's code declares, in order of
// their names.
func readMetrics(root string) ([]metric, error) {
	var all []metric
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if path != root && (strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"testdata", "e2e", "tools", "docs", "bin", "dist"}, entry.Name())) {
			return filepath.SkipDir
		}
		found, err := packageMetrics(root, path)
		all = append(all, found...)
		return err
	})
	slices.SortFunc(all, func(a, b metric) int {
		return cmp.Or(strings.Compare(a.part(), b.part()), strings.Compare(a.Name, b.Name))
	})
	return all, err
}
