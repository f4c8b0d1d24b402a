package audit

import (
	"maps"
	"slices"
	"sync"
)

// agenda is what is to be scanned again before its time. It may be written to from
// any goroutine.
type agenda struct {
	mu         sync.Mutex
	everything bool
	namespaces map[string]bool
	// changed has room for one: whoever reads it takes all there is.
	changed chan struct{}
}

func newAgenda() *agenda {
	return &agenda{namespaces: map[string]bool{}, changed: make(chan struct{}, 1)}
}

func (a *agenda) add(namespaces ...string) {
	a.mu.Lock()
	for _, n := range namespaces {
		a.namespaces[n] = true
	}
	a.mu.Unlock()
	a.signal()
}

func (a *agenda) addEverything() {
	a.mu.Lock()
	a.everything = true
	a.mu.Unlock()
	a.signal()
}

func (a *agenda) signal() {
	select {
	case a.changed <- struct{}{}:
	default:
	}
}

// take empties the agenda.
func (a *agenda) take() (everything bool, namespaces []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	everything, namespaces = a.everything, slices.Sorted(maps.Keys(a.namespaces))
	a.everything, a.namespaces = false, map[string]bool{}
	return everything, namespaces
}
