package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
	"github.com/probity-dev/probity/webhook"
)

const configHead = "apiVersion: probity.dev/v1alpha1\nkind: Configuration\n"

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(configHead+text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFlagsGoBeforeTheConfiguration(t *testing.T) {
	all := validate.Injection{Startup: true, Budget: true}
	tests := map[string]struct {
		options serveOptions
		text    string
		want    validate.Settings
	}{
		"in a cluster nothing is judged that does not ask":     {serveOptions{}, "", validate.Settings{}},
		"without a cluster everything is":                      {serveOptions{standalone: true}, "", validate.Settings{Mode: validate.ModeEnforce, Injection: all}},
		"the file's mode and profile":                          {serveOptions{standalone: true}, "defaults: {mode: warn, profile: strict}", validate.Settings{Mode: validate.ModeWarn, Profile: validate.Strict}},
		"the flag's mode brings its injection":                 {serveOptions{mode: "enforce"}, "defaults: {mode: warn, profile: strict}", validate.Settings{Mode: validate.ModeEnforce, Profile: validate.Strict, Injection: all}},
		"the flag's profile, and the file's injection":         {serveOptions{profile: "baseline"}, "defaults: {mode: enforce, profile: strict, inject: none}", validate.Settings{Mode: validate.ModeEnforce}},
		"the flag off is not the same as none, and goes first": {serveOptions{mode: "off"}, "defaults: {mode: enforce}", validate.Settings{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := tt.options.parseFlags(); err != nil {
				t.Fatal(err)
			}
			tt.options.config.path = writeConfig(t, tt.text)
			f, err := tt.options.follow(logr.Discard())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, f.settings()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestServeDoesNotStartOnABadConfiguration(t *testing.T) {
	path := writeConfig(t, "defaults: {mode: on, profil: strict}\n")
	_, stderr, status := run(t, "probity", "serve", "--standalone", "--config", path)
	want := path + ":3: defaults.mode must be enforce, warn, audit or off, is \"on\"\n" +
		path + ":3: defaults has no field \"profil\"; did you mean \"profile\"?\n"
	if status != exitUnusable || stderr != want {
		t.Errorf("status %d, said\n%s\nwant\n%s", status, stderr, want)
	}
}

// TestAReloadReachesHandlerNamespacesAndMetrics follows what a watcher tells.
func TestAReloadReachesHandlerNamespacesAndMetrics(t *testing.T) {
	o := serveOptions{config: configFlag{writeConfig(t, "defaults: {mode: audit}")}}
	f, err := o.follow(logr.Discard())
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	var namespaces everywhere
	namespaces.set(f.settings())
	f.tell(func() { namespaces.set(f.settings()) })
	f.handler(webhook.Options{Namespaces: &namespaces, Metrics: webhook.NewMetrics(registry)})
	metrics := newConfigMetrics(registry)
	tell := f.taker(metrics)

	type state struct {
		mode                   string
		good, since, won, lost float64
	}
	steps := []struct {
		name   string
		reload config.Reload
		want   state
	}{
		{"the start", config.Reload{Config: f.current, At: time.Unix(100, 0)}, state{"audit", 1, 100, 1, 0}},
		{"a good file", config.Reload{Config: parseConfig(t, "defaults: {mode: warn}"), At: time.Unix(200, 0)}, state{"warn", 1, 200, 2, 0}},
		{"a bad file", config.Reload{Config: f.current, Err: errors.New("bad"), At: time.Unix(300, 0)}, state{"warn", 0, 200, 2, 1}},
		{"a file that is mended", config.Reload{Config: parseConfig(t, "defaults: {mode: enforce}"), At: time.Unix(400, 0)}, state{"enforce", 1, 400, 3, 1}},
	}
	for _, s := range steps {
		tell(s.reload)
		settings, err := namespaces.Settings(t.Context(), "any")
		if err != nil {
			t.Fatal(err)
		}
		got := state{
			settings.Mode.String(), testutil.ToFloat64(metrics.good), testutil.ToFloat64(metrics.since),
			testutil.ToFloat64(metrics.attempts.WithLabelValues("success")), testutil.ToFloat64(metrics.attempts.WithLabelValues("failure")),
		}
		if got != s.want {
			t.Errorf("%s: got %+v, want %+v", s.name, got, s.want)
		}
	}
}

func parseConfig(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("config.yaml", []byte(configHead+text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
