package certs

import (
	"crypto/x509"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var (
	secretName  = types.NamespacedName{Namespace: "probity-system", Name: "probity-serving-cert"}
	serviceName = types.NamespacedName{Namespace: "probity-system", Name: "probity"}
)

// cluster is a fake API server with replicas of Probity. The fake keeps
// resourceVersions and refuses stale writes, as a real one does.
type cluster struct {
	t        *testing.T
	clock    *clocktesting.FakePassiveClock
	api      client.WithWatch
	replicas []*selfManaged
}

func newCluster(t *testing.T, replicas int, objects ...client.Object) *cluster {
	t.Helper()
	c := &cluster{
		t:     t,
		clock: clocktesting.NewFakePassiveClock(start),
		api:   fake.NewClientBuilder().WithObjects(objects...).Build(),
	}
	for range replicas {
		c.addReplica()
	}
	return c
}

func (c *cluster) addReplica() *selfManaged {
	c.t.Helper()
	r, err := newSelfManaged(Options{
		Secret:                  secretName,
		Service:                 serviceName,
		ExtraHosts:              []string{"127.0.0.1"},
		ValidatingConfiguration: "probity",
		MutatingConfiguration:   "probity",
		Clock:                   c.clock,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	r.reader, r.writer = c.api, c.api
	c.replicas = append(c.replicas, r)
	return r
}

// step reconciles each replica once, as an event makes them, and checks that
// no replica that was ready answers with what the API server does not trust.
func (c *cluster) step() {
	c.t.Helper()
	for i, r := range c.replicas {
		if _, err := r.Reconcile(c.t.Context(), reconcile.Request{}); err != nil {
			c.t.Fatalf("replica %d: %v", i, err)
		}
		c.checkTrust()
	}
}

func (c *cluster) checkTrust() {
	c.t.Helper()
	all := c.configurations()
	for i, r := range c.replicas {
		if r.ready() != nil {
			continue
		}
		if err := trusts(all, serviceName, r.serving.certificate(), c.clock.Now()); err != nil {
			c.t.Errorf("replica %d is ready with a certificate that would be refused: %v", i, err)
		}
	}
}

// settled lets events and timers pass until nothing more happens.
func (c *cluster) settled() {
	c.t.Helper()
	for range 4 {
		c.step()
	}
	c.clock.SetTime(c.clock.Now().Add(settle))
	for range 2 {
		c.step()
	}
}

func (c *cluster) configurations() []configuration {
	c.t.Helper()
	all, err := existing(c.t.Context(), c.api, named("probity", "probity"))
	if err != nil {
		c.t.Fatal(err)
	}
	return all
}

func (c *cluster) secret() *corev1.Secret {
	c.t.Helper()
	secret := &corev1.Secret{}
	if err := c.api.Get(c.t.Context(), secretName, secret); err != nil {
		c.t.Fatal(err)
	}
	return secret
}

// state is what one sees of a cluster at rest.
type state struct {
	Ready   []bool // of each replica
	Same    bool   // all replicas answer with the certificate of the Secret
	Bundles []int  // authorities in the caBundle of each webhook
}

func (c *cluster) state() state {
	c.t.Helper()
	stored := parseLeaf(c.t, c.secret().Data)
	s := state{Same: true}
	for _, r := range c.replicas {
		s.Ready = append(s.Ready, r.ready() == nil)
		s.Same = s.Same && stored.Equal(r.serving.leaf())
	}
	for _, cfg := range c.configurations() {
		for _, w := range cfg.webhooks() {
			s.Bundles = append(s.Bundles, len(parseAuthorities(w.client.CABundle)))
		}
	}
	return s
}

func parseLeaf(t *testing.T, data map[string][]byte) *x509.Certificate {
	t.Helper()
	pair, err := openLeaf(data)
	if err != nil {
		t.Fatal(err)
	}
	return pair.Leaf
}

func validating(entries ...admissionregistrationv1.ValidatingWebhook) *admissionregistrationv1.ValidatingWebhookConfiguration {
	return &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "probity"}, Webhooks: entries}
}

func mutating(entries ...admissionregistrationv1.MutatingWebhook) *admissionregistrationv1.MutatingWebhookConfiguration {
	return &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "probity"}, Webhooks: entries}
}

func toService(name string) admissionregistrationv1.WebhookClientConfig {
	return admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "probity-system", Name: name}}
}

func bothConfigurations() []client.Object {
	return []client.Object{
		validating(
			admissionregistrationv1.ValidatingWebhook{Name: "a.probity.dev", ClientConfig: toService("probity")},
			admissionregistrationv1.ValidatingWebhook{Name: "b.probity.dev", ClientConfig: toService("probity")},
		),
		mutating(admissionregistrationv1.MutatingWebhook{Name: "c.probity.dev", ClientConfig: toService("probity")}),
	}
}
