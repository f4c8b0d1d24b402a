package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// liveTimeout bounds a handshake that asks the API server; its caller waits two
// seconds for the whole review.
const liveTimeout = 500 * time.Millisecond

// followed serves the certificate of a Secret that something else keeps, for
// configurations that something else injects.
type followed struct {
	options Options
	hosts   []string
	clock   clock.PassiveClock

	reader client.Reader // a copy
	live   client.Reader // the API server

	serving serving
	// candidate is the Secret's certificate while another one is served, because
	// the configurations do not trust it yet, or not for long.
	candidate atomic.Pointer[tls.Certificate]
}

func newFollowed(o Options) (*followed, error) {
	hosts, err := o.hosts()
	if err != nil {
		return nil, err
	}
	return &followed{options: o, hosts: hosts, clock: o.Clock}, nil
}

func (f *followed) setup(mgr manager.Manager) (err error) {
	f.live = mgr.GetAPIReader()
	f.reader, err = f.options.follow(mgr, f)
	return err
}

// Reconcile brings what is served together with the Secret and the configurations.
func (f *followed) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	now := f.clock.Now()
	next, err := f.stored(ctx, now)
	var unusable unusableError
	if errors.As(err, &unusable) {
		// A change of the Secret brings the next look. What is served stays.
		f.serving.explain(err)
		log.FromContext(ctx).Error(err, "waiting for a certificate")
		return reconcile.Result{RequeueAfter: recheck}, nil
	}
	if err != nil {
		f.serving.explain(err)
		return reconcile.Result{}, err
	}
	all, err := existing(ctx, f.reader, named(f.options.ValidatingConfiguration, f.options.MutatingConfiguration))
	if err != nil {
		f.serving.explain(err)
		return reconcile.Result{}, err
	}
	wait := f.serve(ctx, now, next, all)
	if wait == 0 {
		wait = recheck
	}
	return reconcile.Result{RequeueAfter: wait}, nil
}

// unusableError is about a Secret that only its keeper can mend.
type unusableError struct{ error }

// stored returns the certificate of the Secret.
func (f *followed) stored(ctx context.Context, now time.Time) (*tls.Certificate, error) {
	secret := &corev1.Secret{}
	err := f.reader.Get(ctx, f.options.Secret, secret)
	if apierrors.IsNotFound(err) {
		return nil, unusableError{fmt.Errorf("secret %s does not exist; whatever issues the certificate makes it", f.options.Secret)}
	}
	if err != nil {
		return nil, fmt.Errorf("read Secret %s: %w", f.options.Secret, err)
	}
	pair, err := openLeaf(secret.Data)
	if err == nil {
		err = inForce(pair.Leaf, now)
	}
	for _, host := range f.hosts {
		if err == nil {
			err = pair.Leaf.VerifyHostname(host)
		}
	}
	if err != nil {
		return nil, unusableError{fmt.Errorf("secret %s: %w", f.options.Secret, err)}
	}
	return pair, nil
}

// serve offers the Secret's certificate to this process. It returns when to look
// again, zero when nothing is left to wait for.
func (f *followed) serve(ctx context.Context, now time.Time, next *tls.Certificate, all []configuration) time.Duration {
	before := f.serving.certificate()
	// Before the offer: from here on a handshake may find that it is time.
	if before != nil && !before.Leaf.Equal(next.Leaf) {
		f.candidate.Store(next)
	}
	currentTrusted := before != nil && trusts(all, f.options.Service, before, now) == nil
	wait := f.serving.offer(now, next, nil, trusts(all, f.options.Service, next, now), currentTrusted)
	after := f.serving.certificate()
	if after.Leaf.Equal(next.Leaf) {
		f.candidate.Store(nil)
	}
	if before != after {
		log.FromContext(ctx).Info("serving a certificate", describe(after.Leaf)...)
	}
	return wait
}

// getCertificate returns what is served. While another certificate is to follow, a
// new connection is most often made because the caller has just read a new
// caBundle, maybe before this process has. So the API server is asked what it says
// now. Callers that still go by the old caBundle have their connections already.
func (f *followed) getCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	current, err := f.serving.getCertificate(hello)
	candidate := f.candidate.Load()
	if err != nil || candidate == nil || hello == nil || f.live == nil {
		return current, err
	}
	ctx, cancel := context.WithTimeout(hello.Context(), liveTimeout)
	defer cancel()
	all, err := existing(ctx, f.live, named(f.options.ValidatingConfiguration, f.options.MutatingConfiguration))
	if err != nil {
		log.FromContext(ctx).Error(err, "cannot see whether the next certificate is trusted, serving the old one")
		return current, nil
	}
	now := f.clock.Now()
	for _, c := range all {
		one := []configuration{c}
		if trusts(one, f.options.Service, current, now) != nil && trusts(one, f.options.Service, candidate, now) == nil {
			return candidate, nil
		}
	}
	return current, nil
}

func (f *followed) ready() error { return f.serving.ready(f.clock.Now()) }

func (f *followed) notAfter() time.Time {
	if leaf := f.serving.leaf(); leaf != nil {
		return leaf.NotAfter
	}
	return time.Time{}
}
