package events

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/webhook"
	"github.com/probity-dev/probity/workload"
)

// sink keeps what is written, and fails as it is told.
type sink struct {
	mu      sync.Mutex
	created []*corev1.Event
	patches []string
	create  error
	patch   error
}

func (s *sink) Create(e *corev1.Event) (*corev1.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.create != nil {
		return nil, s.create
	}
	s.created = append(s.created, e)
	return e, nil
}

func (s *sink) Update(*corev1.Event) (*corev1.Event, error) { return nil, errors.New("not used") }

func (s *sink) Patch(e *corev1.Event, data []byte) (*corev1.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.patch != nil {
		return nil, s.patch
	}
	s.patches = append(s.patches, string(data))
	return e, nil
}

// written are the Events, as a reader sees them.
func (s *sink) written() []string {
	var all []string
	for _, e := range s.created {
		all = append(all, strings.Join([]string{e.Type, e.Reason, e.InvolvedObject.Kind, e.Namespace + "/" + e.InvolvedObject.Name, string(e.InvolvedObject.UID), e.Message}, " "))
	}
	return all
}

func judgement(mode validate.Mode, actions ...validate.Action) webhook.Judgement {
	j := webhook.Judgement{
		Object: workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "orders"}, UID: "u-1", Mode: mode,
	}
	for _, a := range actions {
		j.Findings = append(j.Findings, validate.Finding{Rule: "rule-" + a.String(), Action: a, Message: "the field is wrong", Fix: "Mend it."})
	}
	return j
}

// run records in a bubble, where time passes by itself, until nothing is left to do.
func run(t *testing.T, s *sink, judgements ...webhook.Judgement) *Recorder {
	t.Helper()
	var r *Recorder
	synctest.Test(t, func(t *testing.T) {
		r = New(Options{Sink: s, Metrics: prometheus.NewRegistry(), Log: logr.Discard()})
		for _, j := range judgements {
			r.Judged(j)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- r.Start(ctx) }()
		synctest.Wait()
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestEventsFollowModeAndAction(t *testing.T) {
	all := []validate.Action{validate.Deny, validate.Warn, validate.Off}
	for mode, want := range map[validate.Mode][]string{
		validate.ModeEnforce: {
			"Warning ProbeRefused Deployment shop/orders u-1 the field is wrong. Mend it. [rule-deny]",
			"Normal ProbeFinding Deployment shop/orders u-1 the field is wrong. Mend it. [rule-warn]",
		},
		validate.ModeWarn: {
			"Warning ProbeWouldBeRefused Deployment shop/orders u-1 the field is wrong. Mend it. [rule-deny]",
			"Normal ProbeFinding Deployment shop/orders u-1 the field is wrong. Mend it. [rule-warn]",
		},
		validate.ModeAudit: nil,
		validate.ModeOff:   nil,
	} {
		t.Run(mode.String(), func(t *testing.T) {
			var s sink
			run(t, &s, judgement(mode, all...))
			if diff := cmp.Diff(want, s.written()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatRepeatsIsCountedInOneEvent(t *testing.T) {
	var s sink
	j := judgement(validate.ModeWarn, validate.Deny)
	r := run(t, &s, j, j, j)
	if len(s.created) != 1 || len(s.patches) != 2 || !strings.Contains(s.patches[1], `"count":3`) {
		t.Errorf("%d created, patches %q", len(s.created), s.patches)
	}
	if n := testutil.ToFloat64(r.counted.WithLabelValues("success")); n != 3 {
		t.Errorf("counted %v", n)
	}
}

func TestAnEventThatHasExpiredIsMadeAgain(t *testing.T) {
	s := sink{patch: apierrors.NewNotFound(schema.GroupResource{Resource: "events"}, "orders.1")}
	j := judgement(validate.ModeWarn, validate.Deny)
	run(t, &s, j, j)
	if len(s.created) != 2 {
		t.Errorf("%d created", len(s.created))
	}
}

func TestAnObjectHasItsShare(t *testing.T) {
	var s sink
	var many []webhook.Judgement
	for range 60 {
		many = append(many, judgement(validate.ModeEnforce, validate.Deny))
	}
	run(t, &s, many...)
	if n := len(s.created) + len(s.patches); n != 25 {
		t.Errorf("%d writes", n)
	}
	s = sink{}
	run(t, &s, judgement(validate.ModeEnforce, make([]validate.Action, 100)...), judgement(validate.ModeEnforce,
		validate.Deny, validate.Deny, validate.Deny, validate.Deny, validate.Deny, validate.Deny,
		validate.Deny, validate.Deny, validate.Deny, validate.Deny, validate.Deny, validate.Deny))
	if n := len(s.created) + len(s.patches); n != maxEvents {
		t.Errorf("%d writes", n)
	}
}

func TestNothingWaitsForTheAPIServer(t *testing.T) {
	s := sink{create: errors.New("namespace shop is being terminated")}
	r := run(t, &s, judgement(validate.ModeWarn, validate.Deny))
	if n := testutil.ToFloat64(r.counted.WithLabelValues("failure")); n != 1 {
		t.Errorf("counted %v failures", n)
	}
	r = New(Options{Sink: &s, Metrics: prometheus.NewRegistry(), Log: logr.Discard()})
	for range queueLength + 7 { // and nobody takes from the queue
		r.Judged(judgement(validate.ModeWarn, validate.Deny))
	}
	if n := testutil.ToFloat64(r.counted.WithLabelValues("dropped")); n != 7 {
		t.Errorf("counted %v dropped", n)
	}
}

// TestWhatWaitsIsSmall: an object may have thousands of findings, with names of any
// length in them, and the API server may take no Event for hours.
func TestWhatWaitsIsSmall(t *testing.T) {
	r := New(Options{Sink: &sink{}, Metrics: prometheus.NewRegistry(), Log: logr.Discard()})
	before := live()
	for range 8 {
		j := judgement(validate.ModeEnforce, make([]validate.Action, 1_000)...)
		for i := range j.Findings {
			j.Findings[i].Action, j.Findings[i].Message = validate.Deny, strings.Repeat("x", 4<<10)
		}
		r.Judged(j)
	}
	if held := live() - before; held > 1<<20 || len(r.queue) != 8 {
		t.Errorf("%d judgements wait with %d bytes", len(r.queue), held)
	}
	runtime.KeepAlive(r)
}

// live is the heap in use, in bytes; less than there was is possible.
func live() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestNobodyIsToldOfWhatCannotExist: such names come from who posts reviews that no
// API server sends, and would be kept.
func TestNobodyIsToldOfWhatCannotExist(t *testing.T) {
	long := strings.Repeat("a", 400)
	for name, change := range map[string]func(*webhook.Judgement){
		"a long name":      func(j *webhook.Judgement) { j.Object.Name = long },
		"a long namespace": func(j *webhook.Judgement) { j.Object.Namespace = long },
		"a long version":   func(j *webhook.Judgement) { j.Object.APIVersion = "apps/" + long },
		"a long uid":       func(j *webhook.Judgement) { j.UID = long },
	} {
		t.Run(name, func(t *testing.T) {
			var s sink
			j := judgement(validate.ModeEnforce, validate.Deny)
			change(&j)
			run(t, &s, j)
			if len(s.created) != 0 {
				t.Errorf("wrote %q", s.written())
			}
		})
	}
}

func TestNamesOfEventsAreLegal(t *testing.T) {
	for object, want := range map[string]string{
		"orders":                 "orders.ff",
		"orders-*":               "orders.ff",
		"*":                      "probity.ff",
		strings.Repeat("a", 253): strings.Repeat("a", 200) + ".ff",
	} {
		if got := eventName(object, 255); got != want {
			t.Errorf("%s: %s, want %s", object, got, want)
		}
	}
}
