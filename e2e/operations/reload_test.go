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
	newNamespace(t, "reloaded", "probity.dev/mode=enforce")
	enforced(t, "reloaded")
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
	eventually(t, "the rule to be off", func(context.Context) bool { return !refused(t, "reloaded") })
	since := metric(t, "probity_config_last_reload_success_timestamp_seconds")
	failures := metric(t, "probity_config_reloads_total", "result", "failure")

	put(header + "rules: {liveness-dependency-path: {action: on}}\n")
	eventually(t, "the metric to tell", func(context.Context) bool {
		return metric(t, "probity_config_last_reload_successful") == 0
	})
	if refused(t, "reloaded") {
		t.Error("the last good configuration does not hold")
	}
	if now := metric(t, "probity_config_last_reload_success_timestamp_seconds"); now != since {
		t.Errorf("the time of the last good one moved from %v to %v", since, now)
	}
	if now := metric(t, "probity_config_reloads_total", "result", "failure"); now != failures+1 {
		t.Errorf("%v failures, want %v", now, failures+1)
	}
	log, err := os.ReadFile(probity.LogPath())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"msg":"configuration is bad, the last good one stays"`, `rules.liveness-dependency-path.action must be deny, warn or off`} {
		if !strings.Contains(string(log), want) {
			t.Errorf("the log does not hold %s", want)
		}
	}

	put(harmless)
	eventually(t, "the mistake to be taken back", func(context.Context) bool {
		return metric(t, "probity_config_last_reload_successful") == 1 && refused(t, "reloaded")
	})
}
