// Package budget makes, keeps and withdraws the PodDisruptionBudgets of workloads
// that have none. On every replica it holds a slim copy of the cluster's
// workloads, budgets and autoscalers, which admission judges budgets by too; one
// replica, the leader, writes.
package budget

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// StateOptions of a State.
type StateOptions struct {
	// Config and Client reach the API server.
	Config *rest.Config
	Client *http.Client
	// Kinds say which custom resources hold pods.
	Kinds *workload.Kinds
	Log   logr.Logger
}

// State is what the cluster holds of workloads, disruption budgets and
// autoscalers, as far as rules on budgets read it. Watches keep it current. It
// watches nothing until somebody wants it, see Want. Its methods may be called
// from many goroutines.
type State struct {
	options StateOptions
	log     logr.Logger
	kinds   atomic.Pointer[workload.Kinds]
	// wanted is closed by Want; again has an item when kinds have changed.
	wanted chan struct{}
	want   sync.Once
	again  chan struct{}

	mu     sync.RWMutex
	spaces map[string]*space
	madeBy map[string]string // of space
	told   []func(ids []validate.Identity)

	watches watches
}

// NewState returns a state that watches once it is started and wanted.
func NewState(o StateOptions) (*State, error) {
	if o.Client == nil {
		client, err := rest.HTTPClientFor(o.Config)
		if err != nil {
			return nil, fmt.Errorf("watch workloads: %w", err)
		}
		o.Client = client
	}
	s := &State{options: o, log: o.Log, wanted: make(chan struct{}), again: make(chan struct{}, 1), spaces: map[string]*space{}, madeBy: madeBy()}
	s.watches.running = map[schema.GroupKind]*watching{}
	s.kinds.Store(o.Kinds)
	return s, nil
}

// NeedLeaderElection makes State a manager.LeaderElectionRunnable that runs on
// every replica.
func (*State) NeedLeaderElection() bool { return false }

// Want makes the state watch, from Start on. A cluster in which no namespace asks
// for Probity costs nothing.
func (s *State) Want() { s.want.Do(func() { close(s.wanted) }) }

// Use takes the custom kinds of a new configuration. If they are others, the state is
// not synced until they are watched.
func (s *State) Use(kinds *workload.Kinds) {
	s.settle(func() {
		before := s.kinds.Swap(kinds)
		s.watches.complete = s.watches.complete && slices.Equal(before.Custom(), kinds.Custom())
	})
	select {
	case s.again <- struct{}{}:
	default: // it has yet to look at the last change
	}
}

// Start watches until the context ends.
func (s *State) Start(ctx context.Context) error {
	select {
	case <-s.wanted:
		s.watch(logr.NewContext(ctx, s.log))
	case <-ctx.Done():
	}
	return nil
}

// Synced reports whether all that exists is there: false while nobody wants the
// state, and until every watch has told what there was when it began.
func (s *State) Synced() bool {
	s.watches.mu.Lock()
	defer s.watches.mu.Unlock()
	return s.watches.whole
}

// Subscribe calls changed with the workloads whose budget a change may make right
// or wrong, and with all of them when the state is synced. It must return soon. It is
// to be called before Start.
func (s *State) Subscribe(changed func(ids []validate.Identity)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, changed)
}

func (s *State) put(r *record) {
	s.change(r.object.Ref.Namespace, func(space *space) (affected, bool) { return space.put(r) })
}

func (s *State) remove(id validate.Identity) {
	s.removeIf(id, func(*record) bool { return true })
}

// removeIf forgets an object if gone says so of what is known of it.
func (s *State) removeIf(id validate.Identity, gone func(known *record) bool) {
	s.change(id.Namespace, func(space *space) (affected, bool) {
		if known := space.records[id]; known == nil || !gone(known) {
			return nil, false
		}
		return space.remove(id)
	})
}

func (s *State) change(namespace string, how func(*space) (affected, bool)) {
	whom, changed := s.changeLocked(namespace, how)
	if !changed || len(whom) == 0 {
		return
	}
	s.tell(slices.Collect(maps.Keys(whom)))
}

func (s *State) tell(ids []validate.Identity) {
	s.mu.RLock()
	told := s.told
	s.mu.RUnlock()
	for _, changed := range told {
		changed(ids)
	}
}

func (s *State) changeLocked(namespace string, how func(*space) (affected, bool)) (affected, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.spaces[namespace]
	if in == nil {
		in = newSpace(s.madeBy)
		s.spaces[namespace] = in
	}
	whom, changed := how(in)
	if len(in.records) == 0 {
		delete(s.spaces, namespace)
	}
	return whom, changed
}

// of returns the identities of all objects of a kind.
func (s *State) of(group, kind string) map[validate.Identity]struct{} {
	s.mu.RLock()
	defer s.mu.RUnlock()
	ids := map[validate.Identity]struct{}{}
	for _, space := range s.spaces {
		for id := range space.records {
			if id.Group == group && id.Kind == kind {
				ids[id] = struct{}{}
			}
		}
	}
	return ids
}
