package config

import (
	"context"
	"crypto/sha256"
	"time"
)

// Interval is how often a Watcher looks. The kubelet brings a changed ConfigMap
// within a minute or so; this adds little to that.
const Interval = 5 * time.Second

// Reload is one attempt to take a configuration.
type Reload struct {
	// Config is what holds now: the new one, or the last good one beside Err.
	Config *Config
	// Err says why the file was not taken; an *Error when it could be read.
	Err error
	At  time.Time
}

// Watcher takes a configuration file again when it changes, and keeps the last
// good one when the new one is bad.
//
// It reads the file every few seconds and compares what it reads. Notifications
// of the file system would tell sooner, and not at all on network and some
// overlay file systems, after a watched folder was replaced, or when the node
// has no watches left; and what a swap of symbolic links looks like is the
// kubelet's own business. A small file costs nothing to read.
type Watcher struct {
	path string
	// tell is called with every attempt.
	tell func(Reload)

	last Reload
	// taken is what the file held at the last attempt, seen what it held at the
	// last look.
	taken, seen state
}

// state is what a look at the file gave.
type state struct {
	sum     [sha256.Size]byte
	problem string
}

// NewWatcher takes the file for the first time. It fails when that is bad: there
// is no last good one yet.
func NewWatcher(path string) (*Watcher, error) {
	w := &Watcher{path: path, tell: func(Reload) {}}
	data, s, err := w.look()
	if err != nil {
		return nil, err
	}
	w.taken, w.seen = s, s
	c, err := Parse(path, data)
	if err != nil {
		return nil, err
	}
	w.last = Reload{Config: c, At: time.Now()}
	return w, nil
}

// Config returns the configuration that holds. It is for the time before Start;
// afterwards Notify tells of every change.
func (w *Watcher) Config() *Config { return w.last.Config }

// Notify calls tell with the attempt that NewWatcher was, and with every later
// one, one at a time. It is called before Start.
func (w *Watcher) Notify(tell func(Reload)) {
	w.tell = tell
	tell(w.last)
}

// Start looks at the file until ctx ends.
func (w *Watcher) Start(ctx context.Context) error {
	tick := time.NewTicker(Interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			w.check()
		}
	}
}

// NeedLeaderElection is false: every replica judges by its own file.
func (w *Watcher) NeedLeaderElection() bool { return false }

// check takes what has changed, once it stands still: a file that is written in
// place may be half there.
func (w *Watcher) check() {
	data, now, err := w.look()
	settled := now == w.seen
	w.seen = now
	if !settled || now == w.taken {
		return
	}
	w.taken = now
	next := Reload{Config: w.last.Config, Err: err, At: time.Now()}
	if err == nil {
		if c, err := Parse(w.path, data); err != nil {
			next.Err = err
		} else {
			next.Config = c
		}
	}
	w.last = next
	w.tell(next)
}

func (w *Watcher) look() ([]byte, state, error) {
	data, err := read(w.path)
	if err != nil {
		return nil, state{problem: err.Error()}, err
	}
	return data, state{sum: sha256.Sum256(data)}, nil
}
