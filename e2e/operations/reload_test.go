package operations

import (
	"context"
	"os"
	"strings"
	"testing"
)

// TestAChangedConfigurationHoldsAndABadOneKeepsTheLastGoodOne swaps the ConfigMap's
// folder as the kubelet does, under a program that serves.
func TestAChangedConfigurationHoldsAndABadOneKeepsTheLastGoodOne(t *testing.T) {
	s := newSpace(t, "reloaded", "probity.dev/mode=enforce")
	s.enforced()
	put := func(text string) {
		t.Helper()
		if err := configuration.put(text); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := configuration.put(harmless); err != nil {
			t.Error(err) // for a test that ended early
		}
	})

	put(header + "rules: {liveness-dependency-path: {action: off}}\n")
	s.Eventually("the rule to be off", func(context.Context) bool { return !s.refused() })
	since := metric(t, "probity_config_last_reload_success_timestamp_seconds", nil)
	failures := metric(t, "probity_config_reloads_total", map[string]string{"result": "failure"})

	put(header + "rules: {liveness-dependency-path: {action: on}}\n")
	s.Eventually("the metric to tell", func(context.Context) bool {
		return metric(t, "probity_config_last_reload_successful", nil) == 0
	})
	if s.refused() {
		t.Error("the last good configuration does not hold")
	}
	if now := metric(t, "probity_config_last_reload_success_timestamp_seconds", nil); now != since {
		t.Errorf("the time of the last good one moved from %v to %v", since, now)
	}
	if now := metric(t, "probity_config_reloads_total", map[string]string{"result": "failure"}); now != failures+1 {
		t.Errorf("%v failures, want %v", now, failures+1)
	}
	log, err := os.ReadFile(local.Probity.LogPath())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"msg":"configuration is bad, the last good one stays"`, `rules.liveness-dependency-path.action must be deny, warn or off`} {
		if !strings.Contains(string(log), want) {
			t.Errorf("the log does not hold %s", want)
		}
	}

	put(harmless)
	s.Eventually("the mistake to be taken back", func(context.Context) bool {
		return metric(t, "probity_config_last_reload_successful", nil) == 1 && s.refused()
	})
}
