package main

import (
	"log/slog"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/probity-dev/probity/cmd/probity/internal/logs"
	"github.com/probity-dev/probity/escape"
)

// startLog returns the log of a server, which no review waits for, and what ends it.
func (o *serveOptions) startLog() (log logr.Logger, end func()) {
	// To write when the reader has gone, as when a container's log is restarted, would
	// end the process.
	signal.Ignore(syscall.SIGPIPE)
	lines := logs.New(o.logs, func(n int) {
		log.Info("lines of the log were lost, whoever reads it had stood still", "lines", n)
	})
	o.logs = lines
	log = o.logger()
	lost := prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "probity_log_lines_lost_total",
		Help: "Lines of the log that were lost, since whoever reads it stood still, or was not there; reviews do not wait for it.",
	}, func() float64 { return float64(lines.Lost()) })
	metrics.Registry.MustRegister(lost)
	return log, func() {
		metrics.Registry.Unregister(lost)
		lines.Close(time.Second)
	}
}

// logger writes JSON to standard error, one line an event.
func (o *serveOptions) logger() logr.Logger {
	level := slog.LevelInfo
	if o.debug {
		level = slog.LevelDebug
	}
	return logr.FromSlogHandler(slog.NewJSONHandler(escape.JSON(o.logs), &slog.HandlerOptions{Level: level}))
}
