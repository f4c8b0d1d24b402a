// Package complaints bounds what the log has of things that whoever reaches a port can
// make happen: who sends requests in masses, or long ones, fills no disk.
package complaints

import (
	"sync"
	"time"

	"github.com/go-logr/logr"

	"github.com/probity-dev/probity/escape"
)

const (
	// maxLines bounds the lines a second.
	maxLines = 10
	// maxReason bounds what a line quotes, in bytes. What Probity itself says is
	// shorter; headers and names in certificates have no such end.
	maxReason = 1000
)

// Log counts the lines of a second, and those that were not written. The zero value is
// ready for use, from many goroutines.
type Log struct {
	mu     sync.Mutex
	second int64
	lines  int
	untold int
}

// Info writes a line with the reason, unless the second has had its share. The first
// one after that says how many were left out.
func (l *Log) Info(log logr.Logger, now time.Time, message string, reason error, keysAndValues ...any) {
	untold, due := l.due(now)
	if !due {
		return
	}
	if untold > 0 {
		log = log.WithValues("untold", untold)
	}
	log.WithValues("reason", escape.Short(reason.Error(), maxReason)).Info(message, keysAndValues...)
}

func (l *Log) due(now time.Time) (untold int, due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if second := now.Unix(); second != l.second {
		l.second, l.lines = second, 0
	}
	if l.lines++; l.lines > maxLines {
		l.untold++
		return 0, false
	}
	untold, l.untold = l.untold, 0
	return untold, true
}
