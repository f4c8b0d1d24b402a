package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const (
	// recheck bounds how late a renewal is noticed when no event comes, also
	// on a machine that slept.
	recheck = 10 * time.Minute
	// retry follows a lost race. The watch is usually faster.
	retry = time.Second
	// Writes of one process. A second writer that undoes ours (cainjector, a
	// replica whose clock is far off) must not make a hot loop of the two.
	writeBurst  = 10
	writePeriod = 10 * time.Second
)

// selfManaged makes, keeps and injects Probity's own certificates.
type selfManaged struct {
	options Options
	hosts   []string
	clock   clock.PassiveClock
	// Bounds on writing configurations and on replacing the Secret.
	injections, replacements flowcontrol.PassiveRateLimiter

	reader client.Reader
	writer client.Writer

	serving serving
}

func newSelfManaged(o Options) (*selfManaged, error) {
	hosts, err := o.hosts()
	if err != nil {
		return nil, err
	}
	return &selfManaged{
		options:      o,
		hosts:        hosts,
		clock:        o.Clock,
		injections:   newLimiter(o.Clock),
		replacements: newLimiter(o.Clock),
	}, nil
}

func newLimiter(c clock.PassiveClock) flowcontrol.PassiveRateLimiter {
	return flowcontrol.NewTokenBucketPassiveRateLimiterWithClock(float32(1/writePeriod.Seconds()), writeBurst, c)
}

// Reconcile brings the Secret, the configurations and what is served together.
// It looks at everything each time, whatever the event was.
func (r *selfManaged) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	result, err := r.reconcile(ctx)
	if err != nil {
		r.serving.explain(err)
	}
	return result, err
}

func (r *selfManaged) reconcile(ctx context.Context) (reconcile.Result, error) {
	now := r.clock.Now()
	secret, err := r.secret(ctx)
	if err != nil {
		return reconcile.Result{}, err
	}
	all, err := existing(ctx, r.reader, named(r.options.ValidatingConfiguration, r.options.MutatingConfiguration))
	if err != nil {
		return reconcile.Result{}, err
	}
	content, fault := open(secret.Data, now, r.hosts)
	if fault != nil {
		return r.replace(ctx, now, secret, content, all, fault)
	}
	// One step's failure must not hold up the next: what is there is served
	// when it cannot be injected, and renewed in time all the same.
	err = r.inject(ctx, content, all)
	wait := r.serve(ctx, now, content, all)
	if reason := content.due(now); reason != "" {
		result, renewErr := r.renew(ctx, now, secret, content, all, reason)
		return result, errors.Join(err, renewErr)
	}
	return reconcile.Result{RequeueAfter: wait}, err
}

// secret returns the Secret; one without resourceVersion does not exist yet.
func (r *selfManaged) secret(ctx context.Context) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := r.reader.Get(ctx, r.options.Secret, secret)
	if apierrors.IsNotFound(err) {
		// The type is that of the manifests: it can never be changed.
		secret = &corev1.Secret{Type: corev1.SecretTypeOpaque}
		secret.Namespace, secret.Name = r.options.Secret.Namespace, r.options.Secret.Name
		secret.Labels = map[string]string{"app.kubernetes.io/managed-by": "probity"}
		return secret, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read Secret %s: %w", r.options.Secret, err)
	}
	return secret, nil
}

// inject gives every configuration the bundle that belongs to the content.
func (r *selfManaged) inject(ctx context.Context, content *stored, all []configuration) error {
	var faults []error
	for _, c := range all {
		patch := c.injection(r.options.Service, content.bundle())
		if len(patch) == 0 {
			continue
		}
		if !r.injections.TryAccept() {
			faults = append(faults, fmt.Errorf("%s: something else keeps changing caBundle; only one may own it", c))
			continue
		}
		if err := c.inject(ctx, r.writer, patch); err != nil {
			faults = append(faults, err)
			continue
		}
		log.FromContext(ctx).Info("wrote the certificate authority into a webhook configuration", "configuration", c.String())
	}
	return errors.Join(faults...)
}

// serve offers the content's certificate to this process. It returns when to
// look again.
func (r *selfManaged) serve(ctx context.Context, now time.Time, content *stored, all []configuration) time.Duration {
	before := r.serving.certificate()
	currentTrusted := before != nil && trusts(all, r.options.Service, before, now) == nil
	distrust := trusts(all, r.options.Service, content.leaf, now)
	wait := r.serving.offer(now, content.leaf, content.authority.cert, distrust, currentTrusted)
	if after := r.serving.certificate(); before != after {
		log.FromContext(ctx).Info("serving a certificate", describe(after.Leaf)...)
	}
	if wait == 0 {
		return recheck
	}
	return wait
}

// replace writes new content instead of what cannot be used.
func (r *selfManaged) replace(ctx context.Context, now time.Time, secret *corev1.Secret, content *stored, all []configuration, fault error) (reconcile.Result, error) {
	logger := log.FromContext(ctx).WithValues("secret", r.options.Secret)
	if len(secret.Data) == 0 {
		logger.Info("making a certificate: the Secret is empty, or does not exist")
	} else {
		logger.Error(fault, "replacing the certificate: the Secret's content cannot be used")
	}
	result, err := r.write(ctx, logger, now, secret, content, all)
	if err != nil {
		return result, fmt.Errorf("%w (needed because: %w)", err, fault)
	}
	return result, nil
}

// renew writes the successor of content that still works.
func (r *selfManaged) renew(ctx context.Context, now time.Time, secret *corev1.Secret, content *stored, all []configuration, reason string) (reconcile.Result, error) {
	logger := log.FromContext(ctx).WithValues("secret", r.options.Secret)
	logger.Info("renewing the certificate", "reason", reason)
	return r.write(ctx, logger, now, secret, content, all)
}

// write stores the successor of content. The watch brings it back, to this
// replica as to the others.
func (r *selfManaged) write(ctx context.Context, logger logr.Logger, now time.Time, secret *corev1.Secret, content *stored, all []configuration) (reconcile.Result, error) {
	if !r.replacements.TryAccept() {
		return reconcile.Result{}, fmt.Errorf("secret %s: it was replaced too often; something else writes it, or the clocks of two replicas differ", r.options.Secret)
	}
	known := injected(all, r.options.Service)
	if a := r.serving.authority(); a != nil {
		known = append(known, a)
	}
	next, err := content.renewed(now, r.hosts, known)
	if err != nil {
		return reconcile.Result{}, err
	}
	if err := fill(secret, next); err != nil {
		return reconcile.Result{}, err
	}
	if secret.ResourceVersion == "" {
		err = r.writer.Create(ctx, secret, client.FieldOwner(fieldManager))
	} else {
		err = r.writer.Update(ctx, secret, client.FieldOwner(fieldManager))
	}
	switch {
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), apierrors.IsNotFound(err):
		logger.Info("another replica was first")
		return reconcile.Result{RequeueAfter: retry}, nil
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("write Secret %s: %w", r.options.Secret, err)
	}
	logger.Info("stored a certificate", describe(next.leaf.Leaf)...)
	return reconcile.Result{RequeueAfter: retry}, nil
}

// fill puts content into the Secret; keys that are not ours stay.
func fill(secret *corev1.Secret, content *stored) error {
	data, err := content.data()
	if err != nil {
		return err
	}
	if secret.Data == nil {
		secret.Data = map[string][]byte{}
	}
	delete(secret.Data, keyPrevious)
	maps.Copy(secret.Data, data)
	return nil
}

func describe(leaf *x509.Certificate) []any {
	return []any{"hosts", leaf.DNSNames, "addresses", leaf.IPAddresses, "issuer", leaf.Issuer.CommonName, "notAfter", leaf.NotAfter}
}

func (r *selfManaged) getCertificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	return r.serving.getCertificate(hello)
}

func (r *selfManaged) ready() error { return r.serving.ready(r.clock.Now()) }

func (r *selfManaged) notAfter() time.Time {
	if leaf := r.serving.leaf(); leaf != nil {
		return leaf.NotAfter
	}
	return time.Time{}
}
