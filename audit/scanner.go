package audit

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

const (
	// settleTime is how long a change waits for others that belong to it: labels
	// come one by one, and a configuration changes all namespaces.
	settleTime = 5 * time.Second
	// retryTime is when a namespace is tried again that could not be read.
	retryTime = 5 * time.Minute
	// lookTime is how often it is looked whether the cluster takes reports.
	lookTime = time.Minute
	// maxFindings bounds the findings that are held of one namespace, each of some hundred
	// bytes, until its reports are written: objects may be full of them.
	maxFindings = 20_000
	// maxTold is how many failures of one namespace the log tells.
	maxTold = 10
)

// Ruling is what objects are judged by, as a configuration has it.
type Ruling struct {
	Kinds *workload.Kinds
	// Policies has a policy for each profile.
	Policies map[validate.Profile]*validate.Policy
	// Exemptions are the configuration's; nil means validate.DefaultExemptions.
	Exemptions *validate.Exemptions
	// Defaults hold in namespaces whose labels do not say.
	Defaults validate.Settings
}

// judge is what judges in a namespace today.
func (r *Ruling) judge(s validate.Settings, now time.Time) validate.Judge {
	return validate.Judge{Policy: r.Policies[s.Profile], Exemptions: r.Exemptions, Now: now}
}

// Options of a Scanner.
type Options struct {
	// Config reaches the cluster.
	Config *rest.Config
	// Cache has the namespaces.
	Cache cache.Cache
	// Ruling is what objects are judged by, until Use.
	Ruling Ruling
	// Interval between scans, more than 0; some jitter is added.
	Interval time.Duration
	// Namespace is Probity's own, which is not judged.
	Namespace string
	Metrics   *Metrics
	Log       logr.Logger
}

// Scanner judges what a cluster already runs, again and again. It is a runnable of
// a manager, for the leader only.
type Scanner struct {
	lister   *Lister
	cache    cache.Cache
	reporter *reporter
	metrics  *Metrics
	log      logr.Logger
	interval time.Duration
	own      string
	now      func() time.Time

	ruling atomic.Pointer[Ruling]
	agenda *agenda
	// failed are namespaces that are to be tried again.
	failed map[string]bool
}

// NewScanner returns a scanner.
func NewScanner(o Options) (*Scanner, error) {
	lister, err := NewLister(o.Config)
	if err != nil {
		return nil, err
	}
	s := &Scanner{
		lister: lister, cache: o.Cache, metrics: o.Metrics, log: o.Log, interval: o.Interval, own: o.Namespace, now: time.Now,
		agenda: newAgenda(), failed: map[string]bool{},
		reporter: &reporter{lister: lister, metrics: o.Metrics, log: o.Log, now: time.Now},
	}
	s.ruling.Store(&o.Ruling)
	return s, nil
}

// Use makes the scanner judge by r, and scans everything soon. It may be called at
// any time.
func (s *Scanner) Use(r Ruling) {
	s.ruling.Store(&r)
	s.agenda.addEverything()
}

// NeedLeaderElection is true: one replica scans for all.
func (s *Scanner) NeedLeaderElection() bool { return true }

// Start scans until the context ends.
func (s *Scanner) Start(ctx context.Context) error {
	stop, err := s.follow(ctx)
	if err != nil {
		return err
	}
	defer stop()
	s.scanAll(ctx)
	p := newPlan(s.interval)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		p.retry(len(s.failed) > 0)
		timer.Reset(time.Until(p.next()))
		select {
		case <-ctx.Done():
			return nil
		case <-s.agenda.changed:
			p.change()
			continue
		case <-timer.C:
		}
		s.due(ctx, p)
	}
}

// due does what the plan says is due.
func (s *Scanner) due(ctx context.Context, p *plan) {
	now := time.Now()
	if p.looks(now) && s.look(ctx) {
		s.agenda.addEverything()
		p.change()
	}
	if p.retries(now) {
		s.agenda.add(slices.Collect(maps.Keys(s.failed))...)
		p.change()
	}
	if p.scans(now) {
		s.agenda.addEverything()
	} else if !p.changes(now) {
		return
	}
	everything, namespaces := s.agenda.take()
	switch {
	case everything:
		s.scanAll(ctx)
		p.scanned()
	case len(namespaces) > 0:
		s.scanSome(ctx, namespaces)
	}
}

// look finds out whether reports can be written, and whether that is new.
func (s *Scanner) look(ctx context.Context) (changed bool) {
	changed, err := s.reporter.look(ctx)
	if err != nil && ctx.Err() == nil {
		s.metrics.errors.WithLabelValues(errorReport).Inc()
		s.log.Error(err, "cannot tell whether the cluster takes reports")
	}
	return changed
}

// scanAll judges every namespace, one after the other.
func (s *Scanner) scanAll(ctx context.Context) {
	start := time.Now()
	s.look(ctx)
	objects, findings, err := s.scan(ctx, nil)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.metrics.errors.WithLabelValues(errorList).Inc()
		s.log.Error(err, "audit failed")
	default:
		s.metrics.ran(start, time.Now())
		s.log.Info("audited", "objects", objects, "findings", findings, "duration", time.Since(start).Round(time.Millisecond).String())
	}
}

// scanSome judges a few namespaces again.
func (s *Scanner) scanSome(ctx context.Context, names []string) {
	if _, _, err := s.scan(ctx, names); err != nil && ctx.Err() == nil {
		s.metrics.errors.WithLabelValues(errorList).Inc()
		s.log.Error(err, "audit failed", "namespaces", names)
	}
}

// scan judges the namespaces of these names, or all of them, and cleans up behind
// those that are not judged any more.
func (s *Scanner) scan(ctx context.Context, only []string) (objects, findings int, err error) {
	all, err := s.namespaces(ctx)
	if err != nil {
		return 0, 0, err
	}
	judged := map[string]bool{}
	for _, ns := range all {
		judged[ns.name] = true
	}
	isJudged := func(name string) bool { return judged[name] }
	s.metrics.keep(isJudged)
	due := chosen(all, only)
	for _, ns := range due {
		delete(s.failed, ns.name)
	}
	ruling := s.ruling.Load()
	resources, failed := s.lister.Resources(ctx, ruling.Kinds)
	for _, e := range failed {
		if !e.Forbidden() {
			// To judge without a kind that may be there would take its reports away.
			s.retry(due...)
			return 0, 0, e
		}
		s.fail("", errorList, Failure{e.Resource, e.Err})
	}
	for _, ns := range due {
		if ctx.Err() != nil {
			return objects, findings, ctx.Err()
		}
		p := s.scanNamespace(ctx, ns, resources, len(failed) == 0)
		objects += p.Objects
		for _, f := range p.Faulty {
			findings += f.number()
		}
	}
	s.cleanUp(ctx, only, isJudged)
	return objects, findings, ctx.Err()
}

// chosen returns the namespaces of these names, or all of them.
func chosen(all []namespace, only []string) []namespace {
	if only == nil {
		return all
	}
	named := map[string]bool{}
	for _, name := range only {
		named[name] = true
	}
	var some []namespace
	for _, ns := range all {
		if named[ns.name] {
			some = append(some, ns)
		}
	}
	return some
}

// cleanUp deletes reports of namespaces that are not judged.
func (s *Scanner) cleanUp(ctx context.Context, only []string, judged func(string) bool) {
	var err error
	if only == nil {
		err = s.reporter.sweep(ctx, judged)
	}
	for _, name := range only {
		if !judged(name) {
			_, gone := s.reporter.sync(ctx, name, nil)
			err = errors.Join(err, gone)
		}
	}
	if err != nil && ctx.Err() == nil {
		s.fail("", errorReport, Failure{"reports of namespaces that are not judged", err})
	}
}

// scanNamespace judges one namespace, and makes its metrics and reports say so.
func (s *Scanner) scanNamespace(ctx context.Context, ns namespace, resources []Resource, whole bool) *Pass {
	ruling := s.ruling.Load()
	p := NewPass(ruling.judge(ns.settings, s.now()), ns.settings)
	p.Most = maxFindings
	listing, err := s.lister.List(ctx, Query{Kinds: ruling.Kinds, Resources: resources, Namespace: ns.name}, func(i Item) error {
		p.Take(i)
		return nil
	})
	if err != nil {
		return p // the context has ended
	}
	unread := false
	for _, e := range listing.Errors {
		unread = unread || !e.Forbidden()
		s.fail(ns.name, errorList, Failure{e.Resource, e.Err})
	}
	p.Finish(whole && len(listing.Errors) == 0) // who lacks a kind tells lies about budgets
	s.tellFailures(ns.name, p.Failures)
	if unread {
		// What was found before stays: it is nearer the truth than a part.
		s.retry(ns)
		return p
	}
	kept, err := s.reporter.sync(ctx, ns.name, p.Faulty)
	if err != nil && ctx.Err() == nil {
		s.retry(ns)
		s.fail(ns.name, errorReport, Failure{"reports", err})
	}
	s.metrics.namespace(ns.name, p, kept)
	return p
}

// retry puts namespaces off to be tried again.
func (s *Scanner) retry(all ...namespace) {
	for _, ns := range all {
		s.failed[ns.name] = true
	}
}

func (s *Scanner) tellFailures(namespace string, failures []Failure) {
	for i, f := range failures {
		if i == maxTold {
			s.log.Info("more objects could not be judged", "namespace", namespace, "number", len(failures)-i)
			s.metrics.errors.WithLabelValues(errorJudge).Add(float64(len(failures) - i))
			return
		}
		s.fail(namespace, errorJudge, f)
	}
}

func (s *Scanner) fail(namespace, stage string, f Failure) {
	s.metrics.errors.WithLabelValues(stage).Inc()
	s.log.Error(f.Err, "audit could not "+stage, "namespace", namespace, "what", f.What)
}
