package ruletest

import (
	"cmp"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

// prometheusRule is what the tests read of the object for the Prometheus operator.
type prometheusRule struct {
	Kind string         `json:"kind"`
	Spec map[string]any `json:"spec"`
}

// groups parses the rules as Prometheus does; an unknown field is an error.
func groups(t *testing.T) []rulefmt.RuleGroup {
	t.Helper()
	text, err := os.ReadFile("../../manifests/monitoring/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var object prometheusRule
	if err := yaml.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	if object.Kind != "PrometheusRule" {
		t.Fatalf("kind is %q", object.Kind)
	}
	// The spec is what a file with rules holds.
	file, err := yaml.Marshal(object.Spec)
	if err != nil {
		t.Fatal(err)
	}
	parsed, errs := rulefmt.Parse(file, false, model.LegacyValidation, newParser(), slog.New(slog.DiscardHandler))
	for _, err := range errs {
		t.Error(err)
	}
	if parsed == nil || len(parsed.Groups) == 0 {
		t.Fatal("no groups")
	}
	return parsed.Groups
}

func newParser() parser.Parser { return parser.NewParser(parser.Options{}) }

// TestEveryAlertHasARunbook with the heading that its URL names.
func TestEveryAlertHasARunbook(t *testing.T) {
	operations, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	var headings []string
	for _, found := range regexp.MustCompile(`(?m)^### (Probity\w+)$`).FindAllStringSubmatch(string(operations), -1) {
		headings = append(headings, found[1])
	}
	var alerts []string
	for _, g := range groups(t) {
		for _, r := range g.Rules {
			alerts = append(alerts, r.Alert)
			want := "https://github.com/probity-dev/probity/blob/main/docs/operations.md#" + strings.ToLower(r.Alert)
			if got := r.Annotations["runbook_url"]; got != want {
				t.Errorf("%s: runbook_url is %q, want %q", r.Alert, got, want)
			}
			if r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("%s: summary and description are required", r.Alert)
			}
			if !slices.Contains([]string{"critical", "warning", "info"}, r.Labels["severity"]) {
				t.Errorf("%s: severity is %q, must be critical, warning or info", r.Alert, r.Labels["severity"])
			}
		}
	}
	slices.SortFunc(alerts, cmp.Compare)
	slices.SortFunc(headings, cmp.Compare)
	if !slices.Equal(alerts, headings) {
		t.Errorf("docs/operations.md has runbooks for %v, and the alerts are %v", headings, alerts)
	}
}
