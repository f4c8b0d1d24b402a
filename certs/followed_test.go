package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// issuer stands for cert-manager and its cainjector.
type issuer struct {
	t     *testing.T
	api   client.WithWatch
	clock *clocktesting.FakePassiveClock
	f     *followed
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{t: t, api: fake.NewClientBuilder().WithObjects(bothConfigurations()...).Build(), clock: clocktesting.NewFakePassiveClock(start)}
	var err error
	i.f, err = newFollowed(Options{
		Secret: secretName, ReadOnly: true, Service: serviceName,
		ValidatingConfiguration: "probity", MutatingConfiguration: "probity", Clock: i.clock,
	})
	if err != nil {
		t.Fatal(err)
	}
	i.f.reader, i.f.live = i.api, i.api
	return i
}

func (i *issuer) authority() *authority {
	i.t.Helper()
	a, err := newAuthority(i.clock.Now())
	if err != nil {
		i.t.Fatal(err)
	}
	return a
}

// issue stores a certificate of the authority.
func (i *issuer) issue(a *authority, hosts ...string) *x509.Certificate {
	i.t.Helper()
	leaf, err := a.issue(i.clock.Now(), leafLifetime, hosts)
	if err != nil {
		i.t.Fatal(err)
	}
	data, err := (&stored{authority: a, leaf: leaf}).data()
	if err != nil {
		i.t.Fatal(err)
	}
	delete(data, keyAuthorityKey) // nobody but the issuer has it
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: secretName.Namespace, Name: secretName.Name}}
	_ = i.api.Delete(i.t.Context(), secret)
	secret.ResourceVersion, secret.Data = "", data
	if err := i.api.Create(i.t.Context(), secret); err != nil {
		i.t.Fatal(err)
	}
	return leaf.Leaf
}

// inject gives the bundle to the first so many configurations.
func (i *issuer) inject(count int, authorities ...*authority) {
	i.t.Helper()
	var bundle []*x509.Certificate
	for _, a := range authorities {
		bundle = append(bundle, a.cert)
	}
	all, err := existing(i.t.Context(), i.api, named("probity", "probity"))
	if err != nil {
		i.t.Fatal(err)
	}
	for _, c := range all[:count] {
		if err := c.inject(i.t.Context(), i.api, c.injection(serviceName, encodeCertificates(bundle...))); err != nil {
			i.t.Fatal(err)
		}
	}
}

func (i *issuer) step() {
	i.t.Helper()
	if _, err := i.f.Reconcile(i.t.Context(), reconcile.Request{}); err != nil {
		i.t.Fatal(err)
	}
}

func (i *issuer) readiness() string {
	if err := i.f.ready(); err != nil {
		return err.Error()
	}
	return "ready"
}

// handshake connects as a caller does, and returns what it is answered with.
func (i *issuer) handshake() *x509.Certificate {
	i.t.Helper()
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{GetCertificate: i.f.getCertificate}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	var seen *x509.Certificate
	dialer := &tls.Dialer{Config: &tls.Config{
		ServerName:         callName,
		InsecureSkipVerify: true, // it is looked at below, whoever signed it
		VerifyConnection: func(s tls.ConnectionState) error {
			seen = s.PeerCertificates[0]
			return nil
		},
	}}
	ctx, cancel := context.WithTimeout(i.t.Context(), time.Minute)
	defer cancel()
	conn, err := dialer.DialContext(ctx, "tcp", server.Listener.Addr().String())
	if err != nil {
		i.t.Fatal(err)
	}
	conn.Close()
	return seen
}

const callName = "probity.probity-system.svc"

func TestAFollowedCertificateIsServedOnceItCanBeTrusted(t *testing.T) {
	i := newIssuer(t)
	first := i.authority()
	var got []string
	look := func() { i.step(); got = append(got, i.readiness()) }

	look()
	i.issue(first, "another.probity-system.svc")
	look()
	i.issue(first, callName)
	look()
	i.inject(1, first)
	look()
	i.inject(2, first)
	look()
	want := []string{
		"no serving certificate yet: secret probity-system/probity-serving-cert does not exist; whatever issues the certificate makes it",
		"no serving certificate yet: secret probity-system/probity-serving-cert: x509: certificate is valid for another.probity-system.svc, not " + callName,
		"serving certificate: ValidatingWebhookConfiguration probity: caBundle of a.probity.dev does not trust it yet\n" +
			"ValidatingWebhookConfiguration probity: caBundle of b.probity.dev does not trust it yet\n" +
			"MutatingWebhookConfiguration probity: caBundle of c.probity.dev does not trust it yet",
		"serving certificate: MutatingWebhookConfiguration probity: caBundle of c.probity.dev does not trust it yet",
		"ready",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	i.inject(2) // Empty: to stop being ready would repair nothing.
	look()
	if last := got[len(got)-1]; last != "ready" {
		t.Errorf("after the caBundle was emptied: %s", last)
	}
}

// The Secret changes first, then one configuration, then the other, and only then
// this process sees it.
func TestANewIssuerIsFollowedConfigurationByConfiguration(t *testing.T) {
	i := newIssuer(t)
	first, second := i.authority(), i.authority()
	old := i.issue(first, callName)
	i.inject(2, first)
	i.step()

	next := i.issue(second, callName)
	if !i.handshake().Equal(old) {
		t.Error("served before this process saw the Secret")
	}
	i.step()
	if !i.handshake().Equal(old) {
		t.Error("the new certificate is served before anybody trusts it")
	}
	i.inject(1, second) // This process is told of neither change.
	if !i.handshake().Equal(next) {
		t.Error("who trusts only the new authority is answered with the old certificate")
	}
	i.inject(2, second)
	if !i.handshake().Equal(next) {
		t.Error("both trust only the new authority, and the old certificate is served")
	}
	i.step()
	if got := i.f.serving.leaf(); !got.Equal(next) || i.f.candidate.Load() != nil || i.readiness() != "ready" {
		t.Errorf("at the end %s is served, candidate %v, %s", got.Subject, i.f.candidate.Load(), i.readiness())
	}
}

func TestARenewalOfTheSameIssuerIsServedWhenItHasSettled(t *testing.T) {
	i := newIssuer(t)
	a := i.authority()
	old := i.issue(a, callName)
	i.inject(2, a)
	i.step()
	next := i.issue(a, callName)
	i.step()
	if !i.handshake().Equal(old) {
		t.Error("the old certificate was given up at once")
	}
	i.clock.SetTime(i.clock.Now().Add(settle))
	i.step()
	if !i.handshake().Equal(next) {
		t.Error("the new certificate is not served")
	}
}

func TestWhatIsServedOutlivesABadSecret(t *testing.T) {
	i := newIssuer(t)
	a := i.authority()
	old := i.issue(a, callName)
	i.inject(2, a)
	i.step()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: secretName.Namespace, Name: secretName.Name}}
	if err := i.api.Delete(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	i.step()
	if !i.handshake().Equal(old) || i.readiness() != "ready" {
		t.Errorf("after the Secret was deleted: %s", i.readiness())
	}
	i.clock.SetTime(old.NotAfter.Add(time.Second))
	i.step()
	if got := i.readiness(); got != "serving certificate: it expired at 2026-04-01T12:00:00Z" {
		t.Error(got)
	}
	if end := i.f.notAfter(); !end.Equal(old.NotAfter) {
		t.Errorf("it ends at %s", end)
	}
}
