package operations

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMetricsAreAsDocumented compares what a running Probity shows with
// docs/metrics.md, after it has decided this and that.
func TestMetricsAreAsDocumented(t *testing.T) {
	s := newSpace(t, "measured", "probity.dev/mode=enforce")
	s.enforced()
	s.Admin(deployment("web", asksItself), "create", "-f", "-")
	s.Label("probity.dev/mode=warn")

	type shape struct{ kind, help string }
	documented, labels := map[string]shape{}, map[string][]string{}
	text, err := os.ReadFile(filepath.Join(local.Repository, "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `(probity_\\w+)` \\| (\\w+) \\| (.*?) \\| (.*) \\|$").FindAllStringSubmatch(string(text), -1) {
		documented[row[1]] = shape{row[2], strings.ReplaceAll(row[4], `\|`, "|")}
		for _, l := range strings.Fields(row[3]) {
			labels[row[1]] = append(labels[row[1]], strings.Trim(l, "`"))
		}
	}
	shown := 0
	for name, family := range families(t) {
		if !strings.HasPrefix(name, "probity_") {
			continue
		}
		shown++
		got := shape{strings.ToLower(family.GetType().String()), strings.Join(strings.Fields(family.GetHelp()), " ")}
		if want, ok := documented[name]; !ok || got != want {
			t.Errorf("%s is %+v, documented as %+v", name, got, want)
		}
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				if !slices.Contains(labels[name], l.GetName()) {
					t.Errorf("%s has the label %s, and is documented with %v", name, l.GetName(), labels[name])
				}
			}
		}
	}
	if shown < 10 {
		t.Errorf("only %d metrics of Probity are shown", shown)
	}
	// The alerts name it, and controller-runtime chooses its name.
	if families(t)["leader_election_master_status"] == nil {
		t.Error("leader_election_master_status is not shown")
	}
}

// TestTheAPIServersMetricsAreThoseOfTheAlerts: their names are the API server's to
// choose, so each is looked for there.
func TestTheAPIServersMetricsAreThoseOfTheAlerts(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(local.Repository, "manifests", "monitoring", "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSpace(t, "counted", "probity.dev/mode=enforce")
	s.enforced() // rejections
	if err := local.Probity.Kill(); err != nil {
		t.Fatal(err)
	}
	_, err = s.try(deployment("web", asksDatabase), "create", "-f", "-")
	if startErr := local.Probity.Start(context.Background()); startErr != nil {
		t.Fatal(startErr)
	}
	if err != nil {
		t.Fatalf("without Probity: %v", err)
	}
	metrics, _ := s.Admin("", "get", "--raw", "/metrics")
	names := regexp.MustCompile(`\bapiserver_[a-z_]+`).FindAllString(string(text), -1)
	if len(names) < 3 {
		t.Errorf("the alerts name %v", names)
	}
	for _, name := range names {
		if !regexp.MustCompile(`(?m)^` + name + `\{.*name="workloads\.validate\.probity\.dev"`).MatchString(metrics) {
			t.Errorf("the API server has no %s of Probity's webhook", name)
		}
	}
}

// TestMonitoringRenders as it is applied; the operator's kinds are not installed here.
func TestMonitoringRenders(t *testing.T) {
	out, stderr, err := local.Kubectl(t.Context(), local.Admin, "", "kustomize", filepath.Join(local.Repository, "manifests", "monitoring"))
	if err != nil {
		t.Fatal(err, stderr)
	}
	for _, want := range []string{"kind: PodMonitor", "kind: PrometheusRule", "name: probity-dashboard", `grafana_dashboard: "1"`} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing", want)
		}
	}
}
