package main

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
	"github.com/probity-dev/probity/webhook"
)

// following is the configuration that serve goes by, and its changes.
type following struct {
	// watcher is nil when there is no file.
	watcher *config.Watcher
	current *config.Config
	// flags go before the file; mode is for when neither says.
	flags config.Defaults
	mode  validate.Mode
	log   logr.Logger
	// told are the functions that tell has been given.
	told []func()
}

// follow takes the configuration file for the first time, if there is one.
func (o *serveOptions) follow(log logr.Logger) (*following, error) {
	f := &following{current: config.Default(), flags: o.flags, log: log}
	if o.standalone {
		f.mode = validate.ModeEnforce
	}
	if o.config.path == "" {
		return f, nil
	}
	var err error
	if f.watcher, err = config.NewWatcher(o.config.path); err != nil {
		return nil, tellProblems(o.program, err)
	}
	f.current = f.watcher.Config()
	return f, nil
}

// settings are those of a namespace without labels.
func (f *following) settings() validate.Settings {
	d := f.current.Defaults
	d.Mode = cmp.Or(f.flags.Mode, d.Mode)
	d.Profile = cmp.Or(f.flags.Profile, d.Profile)
	return d.Settings(f.mode)
}

func (f *following) ruling() webhook.Ruling {
	return webhook.Ruling{
		Kinds: f.current.Kinds(), Policies: f.current.Policies(), StartupBudget: f.current.StartupBudget,
		Exemptions: &f.current.Exemptions,
	}
}

// handler returns one that judges by what f says, now and later.
func (f *following) handler(o webhook.Options) *webhook.Handler {
	o.Log = f.log.WithName("webhook")
	h := webhook.New(f.ruling(), o)
	f.tell(func() { h.Use(f.ruling()) })
	return h
}

// tell calls changed after each change of what current, settings and ruling
// say, in the order of the calls of tell. It is called before start.
func (f *following) tell(changed func()) { f.told = append(f.told, changed) }

// start makes later configurations hold, and counts them. It is called before the
// watcher starts.
func (f *following) start(registry prometheus.Registerer) {
	if f.watcher != nil {
		f.watcher.Notify(f.taker(newConfigMetrics(registry)))
	}
}

// taker returns what is to be told of every attempt to take the file.
func (f *following) taker(metrics *configMetrics) func(config.Reload) {
	log := f.log.WithName("configuration")
	return func(r config.Reload) {
		metrics.observe(r)
		if r.Err != nil {
			log.Error(nil, "configuration is bad, the last good one stays", "problems", problems(r.Err))
			return
		}
		if r.Config == f.current {
			return // the one that serve started with
		}
		f.current = r.Config
		for _, changed := range f.told {
			changed()
		}
		settings := f.settings()
		log.Info("configuration taken", "mode", settings.Mode.String(), "profile", settings.Profile.String())
	}
}

// problems lists what is wrong, for a log.
func problems(err error) []string {
	var list *config.Error
	if !errors.As(err, &list) {
		return []string{err.Error()}
	}
	return list.Lines()
}

// everywhere is webhook.Everywhere with settings that can change.
type everywhere struct {
	settings atomic.Pointer[validate.Settings]
}

func (e *everywhere) set(s validate.Settings) { e.settings.Store(&s) }

// Settings returns the same for every namespace.
func (e *everywhere) Settings(context.Context, string) (validate.Settings, error) {
	return *e.settings.Load(), nil
}

// configMetrics tell whether the file is what is judged by, and since when.
type configMetrics struct {
	good, since prometheus.Gauge
	attempts    *prometheus.CounterVec
}

func newConfigMetrics(registry prometheus.Registerer) *configMetrics {
	m := &configMetrics{
		good: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "probity_config_last_reload_successful",
			Help: "1 when the configuration file is what is judged by, 0 when it is bad or gone and the last good one stays.",
		}),
		since: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "probity_config_last_reload_success_timestamp_seconds",
			Help: "Unix time at which the configuration in use was taken.",
		}),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "probity_config_reloads_total",
			Help: "Attempts to take the configuration file, the one at the start included, by result: success or failure.",
		}, []string{"result"}),
	}
	m.attempts.WithLabelValues("failure") // there from the start, so that a rate can be seen
	registry.MustRegister(m.good, m.since, m.attempts)
	return m
}

func (m *configMetrics) observe(r config.Reload) {
	if r.Err != nil {
		m.good.Set(0)
		m.attempts.WithLabelValues("failure").Inc()
		return
	}
	m.good.Set(1)
	m.since.Set(float64(r.At.UnixMilli()) / 1000)
	m.attempts.WithLabelValues("success").Inc()
}
