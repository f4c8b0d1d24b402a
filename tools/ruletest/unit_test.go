package ruletest

import (
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
	"sigs.k8s.io/yaml"
)

// ruleTest is a test of testdata/alerts.yaml: series in Prometheus's own notation, a
// value a minute, and what fires at which time. Every alert has one where it fires
// and one where it does not.
type ruleTest struct {
	Name   string   `json:"name"`
	Alert  string   `json:"alert"`
	Series []string `json:"series"`
	At     string   `json:"at"`
	// Fires are the summaries of the alerts that fire then.
	Fires []string `json:"fires"`
}

func TestAlertsFireWhenTheyShould(t *testing.T) {
	text, err := os.ReadFile("testdata/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tests []ruleTest
	if err := yaml.UnmarshalStrict(text, &tests); err != nil {
		t.Fatal(err)
	}
	alerts := map[string]rulefmt.Rule{}
	for _, g := range groups(t) {
		for _, r := range g.Rules {
			alerts[r.Alert] = r
		}
	}
	fired, silent := map[string]bool{}, map[string]bool{}
	for _, tt := range tests {
		t.Run(tt.Name, func(t *testing.T) {
			rule, ok := alerts[tt.Alert]
			if !ok {
				t.Fatalf("no alert %q", tt.Alert)
			}
			if diff := cmp.Diff(tt.Fires, firing(t, rule, tt)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
		fired[tt.Alert] = fired[tt.Alert] || len(tt.Fires) > 0
		silent[tt.Alert] = silent[tt.Alert] || len(tt.Fires) == 0
	}
	for name := range alerts {
		if !fired[name] || !silent[name] {
			t.Errorf("%s: no test where it fires, or none where it does not", name)
		}
	}
}

// firing evaluates a rule every minute until the time of the test, and returns the
// summaries of what fires then.
func firing(t *testing.T, r rulefmt.Rule, tt ruleTest) []string {
	t.Helper()
	storage := promqltest.LoadedStorage(t, "load 1m\n  "+strings.Join(tt.Series, "\n  ")+"\n")
	defer func() {
		if err := storage.Close(); err != nil {
			t.Error(err)
		}
	}()
	expr, err := newParser().ParseExpr(r.Expr)
	if err != nil {
		t.Fatal(err)
	}
	at, err := model.ParseDuration(tt.At)
	if err != nil {
		t.Fatal(err)
	}
	rule := rules.NewAlertingRule(r.Alert, expr, time.Duration(r.For), time.Duration(r.KeepFiringFor),
		labels.FromMap(r.Labels), labels.FromMap(r.Annotations), labels.EmptyLabels(), "", true, slog.New(slog.DiscardHandler))
	engine := promqltest.NewTestEngine(t, false, 0, 100_000)
	query := rules.EngineQueryFunc(engine, storage)
	for now := time.Duration(0); now <= time.Duration(at); now += time.Minute {
		if _, err := rule.Eval(t.Context(), 0, time.Unix(0, 0).Add(now), query, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	var summaries []string
	for _, a := range rule.ActiveAlerts() {
		if a.State == rules.StateFiring {
			summaries = append(summaries, a.Annotations.Get("summary"))
		}
	}
	slices.Sort(summaries)
	return summaries
}
