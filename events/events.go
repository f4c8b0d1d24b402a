// Package events tells of findings by Kubernetes Events, where people look after a
// workload that does not do what it should: kubectl describe, kubectl get events.
//
// Admission writes nothing, and waits for nothing here: it puts what it has judged
// into a queue, and a worker of the same process writes the Events later. When the
// queue is full, what comes is dropped and counted. A dry run is not told of.
package events

import (
	"context"
	"strconv"
	"strings"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/utils/clock"

	"github.com/probity-dev/probity/escape"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/webhook"
)

const (
	// queueLength bounds the judgements that wait, each with the Events that come of it:
	// the findings of one object may take many MiB.
	queueLength = 500
	// perSecond and burst bound the writes of one replica: Events are for people,
	// and cost etcd as much as any other object.
	perSecond = 5
	burst     = 25
	// maxEvents bounds the Events of one object at a time; who is refused or warned
	// has been told all.
	maxEvents = 10
	// remembered is of how many objects and Events the last ones are known, to count what
	// comes again: 1.4 KiB each.
	remembered = 1024
	// maxMessage is the API server's own limit for a message, in bytes.
	maxMessage = 1024
	// maxName is more than the longest name, uid, or group with a version that an API
	// server takes, in bytes. Who reaches the port may send others, and they would be kept.
	maxName = 320
)

// Reasons of the Events.
const (
	// ReasonRefused is for what was refused.
	ReasonRefused = "ProbeRefused"
	// ReasonWouldBeRefused is for what mode enforce would have refused.
	ReasonWouldBeRefused = "ProbeWouldBeRefused"
	// ReasonFinding is for what no mode refuses.
	ReasonFinding = "ProbeFinding"
)

const component = "probity"

// Options of a Recorder.
type Options struct {
	// Sink is where Events are written; record.EventSink as client-go has it.
	Sink    record.EventSink
	Metrics prometheus.Registerer
	Log     logr.Logger
	// Clock is the real one when nil.
	Clock clock.PassiveClock
}

// Recorder is a webhook.Observer that writes Events. It runs on every replica.
type Recorder struct {
	sink       record.EventSink
	log        logr.Logger
	clock      clock.PassiveClock
	queue      chan []*corev1.Event
	correlator *record.EventCorrelator
	limiter    flowcontrol.RateLimiter
	counted    *prometheus.CounterVec
}

// New returns a Recorder; Start makes it write.
func New(o Options) *Recorder {
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	r := &Recorder{
		sink: o.Sink, log: o.Log, clock: o.Clock,
		queue: make(chan []*corev1.Event, queueLength),
		// It counts what repeats in one Event, and tells of each object 25 times,
		// then once in five minutes.
		correlator: record.NewEventCorrelatorWithOptions(record.CorrelatorOptions{Clock: o.Clock, LRUCacheSize: remembered}),
		limiter:    flowcontrol.NewTokenBucketRateLimiter(perSecond, burst),
		counted: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "probity_events_total",
			Help: "Kubernetes Events about findings, by result: success, failure (the API server refused it), or dropped (the queue was full; then it counts objects).",
		}, []string{"result"}),
	}
	for _, result := range []string{"success", "failure", "dropped"} {
		r.counted.WithLabelValues(result) // there from the start, so that a rate can be seen
	}
	o.Metrics.MustRegister(r.counted)
	return r
}

// Judged takes a judgement without waiting. It keeps nothing of it but its Events: to make
// one takes some microseconds of the review, and to find out how much a finding holds on
// to, whose texts are parts of the manifest's, would not take less.
func (r *Recorder) Judged(j webhook.Judgement) {
	if len(r.queue) == cap(r.queue) { // which spares making them
		r.counted.WithLabelValues("dropped").Inc()
		return
	}
	events := r.events(j)
	if len(events) == 0 {
		return
	}
	select {
	case r.queue <- events:
	default:
		r.counted.WithLabelValues("dropped").Inc()
	}
}

// NeedLeaderElection is false: each replica tells of what it was asked.
func (r *Recorder) NeedLeaderElection() bool { return false }

// Start writes until ctx ends. What waits then is lost, as it would be when the
// process ends for another reason.
func (r *Recorder) Start(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case events := <-r.queue:
			for _, event := range events {
				r.write(ctx, event)
			}
		}
	}
}

// events are those of one judgement.
func (r *Recorder) events(j webhook.Judgement) []*corev1.Event {
	if max(len(j.Object.Name), len(j.Object.Namespace), len(j.Object.APIVersion), len(j.UID)) > maxName {
		return nil // no such object can exist
	}
	var all []*corev1.Event
	for i := range j.Findings[:min(maxEvents, len(j.Findings))] {
		f := &j.Findings[i]
		kind, reason := class(j.Mode, f.Action)
		if reason == "" {
			continue
		}
		now := metav1.NewTime(r.clock.Now())
		all = append(all, &corev1.Event{
			ObjectMeta: metav1.ObjectMeta{Name: eventName(j.Object.Name, now.UnixNano()+int64(i)), Namespace: j.Object.Namespace},
			InvolvedObject: corev1.ObjectReference{
				APIVersion: j.Object.APIVersion, Kind: j.Object.Kind,
				Namespace: j.Object.Namespace, Name: j.Object.Name, UID: types.UID(j.UID),
			},
			Type: kind, Reason: reason, Message: escape.Short(f.String(), maxMessage), Count: 1, FirstTimestamp: now, LastTimestamp: now,
			Source: corev1.EventSource{Component: component}, ReportingController: component,
		})
	}
	return all
}

// class says what the mode makes of an action; no reason means no Event. A Warning
// is for what was refused, or would be in mode enforce.
func class(mode validate.Mode, action validate.Action) (kind, reason string) {
	switch {
	case mode < validate.ModeWarn || action == validate.Off:
		return "", ""
	case action == validate.Warn:
		return corev1.EventTypeNormal, ReasonFinding
	case mode == validate.ModeEnforce:
		return corev1.EventTypeWarning, ReasonRefused
	default:
		return corev1.EventTypeWarning, ReasonWouldBeRefused
	}
}

// eventName is unique enough, and legal for whatever name is behind it.
func eventName(object string, unique int64) string {
	object = strings.TrimRight(object[:min(len(object), 200)], "*-.")
	if object == "" {
		object = component
	}
	return object + "." + strconv.FormatInt(unique, 16)
}

// write writes a new Event, or counts one more in an old one.
func (r *Recorder) write(ctx context.Context, event *corev1.Event) {
	result, err := r.correlator.EventCorrelate(event)
	if err != nil || result.Skip {
		return // the patch of a count could not be made; or the object has had its share
	}
	if err := r.limiter.Wait(ctx); err != nil {
		return // the process ends
	}
	var written *corev1.Event
	if result.Event.Count > 1 {
		written, err = r.sink.Patch(result.Event, result.Patch)
	}
	if result.Event.Count <= 1 || apierrors.IsNotFound(err) {
		result.Event.ResourceVersion = "" // of the one that has expired
		written, err = r.sink.Create(result.Event)
	}
	if err != nil {
		r.counted.WithLabelValues("failure").Inc()
		r.log.V(1).Info("event not written", "kind", event.InvolvedObject.Kind, "namespace", event.Namespace,
			"name", event.InvolvedObject.Name, "reason", event.Reason, "error", err.Error())
		return
	}
	r.correlator.UpdateState(written)
	r.counted.WithLabelValues("success").Inc()
}
