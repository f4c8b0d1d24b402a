// Package certmanager tests the overlay manifests/cert-manager with cert-manager's
// own controllers and its cainjector, of its Go module, against a real API server.
package certmanager

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/probity-dev/probity/e2e/install"
	"github.com/probity-dev/probity/e2e/suite"
)

const namespace = "probity-system"

// overlay is what a user would write to have the certificate count for an address
// too: here the API server calls one, and no Service. Timeouts are longer because
// a machine that is busy with tests must not look like a failed call.
const overlay = `resources: [%s]
patches:
  - target: {kind: Certificate, name: probity}
    patch: '[{"op": "add", "path": "/spec/ipAddresses", "value": ["127.0.0.1"]}]'
  - target: {kind: ValidatingWebhookConfiguration}
    patch: '[{"op": "replace", "path": "/webhooks/0/timeoutSeconds", "value": 20}]'
  - target: {kind: MutatingWebhookConfiguration}
    patch: '[{"op": "replace", "path": "/webhooks/0/timeoutSeconds", "value": 20}]'
`

// cluster is a control plane with cert-manager and Probity. The space is where
// requests are made.
type cluster struct {
	*suite.Space
	local  *install.Local
	client client.Client
	// certManager is the path of the program, and running is it.
	certManager string
	running     *certManager
}

func TestCertManager(t *testing.T) {
	c := start(t)
	scene := func(name string, play func(c *cluster)) {
		t.Run(name, func(t *testing.T) {
			inner := *c
			inner.Space = c.In(t)
			play(&inner)
		})
	}
	scene("the certificate is issued and injected, and Probity writes neither", issued)
	scene("the certificate is renewed under load", renewed)
	scene("the Secret is deleted under load", secretDeleted)
	scene("the authority is renewed under load", authorityRenewed)
	scene("the issuer is replaced under load, and replaced again", issuerReplaced)
	scene("a sync empties the caBundle", bundleEmptied)
	scene("the issuer is replaced where the cainjector keeps no authority of before", replacedWithoutOverlap)
}

func start(t *testing.T) *cluster {
	t.Helper()
	ctx := t.Context()
	local, err := install.StartEmpty(ctx, 1, os.Stderr)
	check(t, err)
	t.Cleanup(func() { check(t, local.Stop()) })
	c := &cluster{Space: suite.Named(t, local.ControlPlane, "shop", "probity.dev/mode=enforce"), local: local}
	c.client, err = client.New(local.ControlPlane.Admin(), client.Options{})
	check(t, err)
	c.installCRDs()
	fmt.Fprintln(os.Stderr, "Building cert-manager. The first time takes some minutes.")
	c.certManager, err = local.Build(ctx, "cert-manager", filepath.Join("e2e", "certmanager", programDir), ".")
	check(t, err)
	c.running, err = startCertManager(c.certManager, c.Administrator)
	check(t, err)
	t.Cleanup(func() { check(t, c.running.stop()) })
	local.Probity, err = local.Install(ctx, install.Options{
		Manifests: writeOverlay(t, filepath.Join(local.Repository, "manifests", "cert-manager")), Args: []string{"--shutdown-delay=0s"},
	})
	if err != nil {
		out, _ := c.Admin("", "-n", namespace, "get", "issuers,certificates,certificaterequests", "-o", "wide")
		t.Fatal(err, "\n", out, "\n", c.running.said())
	}
	return c
}

// writeOverlay makes a kustomization over another one.
func writeOverlay(t *testing.T, over string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	relative, err := filepath.Rel(dir, over)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), fmt.Appendf(nil, overlay, relative), 0o600))
	return dir
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// secret returns the one of the serving certificate.
func (c *cluster) secret() (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	return secret, c.client.Get(c.T.Context(), types.NamespacedName{Namespace: namespace, Name: "probity-serving-cert"}, secret)
}

func (c *cluster) stored() (*x509.Certificate, error) {
	secret, err := c.secret()
	if err != nil {
		return nil, err
	}
	return parse(secret.Data[corev1.TLSCertKey])
}

func parse(text []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("no certificate in PEM")
	}
	return x509.ParseCertificate(block.Bytes)
}

// configurations returns the client configuration of each webhook.
func (c *cluster) configurations() ([]admissionregistrationv1.WebhookClientConfig, error) {
	validating, mutating := &admissionregistrationv1.ValidatingWebhookConfiguration{}, &admissionregistrationv1.MutatingWebhookConfiguration{}
	name := types.NamespacedName{Name: "probity"}
	err := errors.Join(c.client.Get(c.T.Context(), name, validating), c.client.Get(c.T.Context(), name, mutating))
	var all []admissionregistrationv1.WebhookClientConfig
	for _, w := range validating.Webhooks {
		all = append(all, w.ClientConfig)
	}
	for _, w := range mutating.Webhooks {
		all = append(all, w.ClientConfig)
	}
	return all, err
}

// served connects to Probity as an API server does and returns its certificate.
func (c *cluster) served() (*x509.Certificate, error) {
	all, err := c.configurations()
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(*all[0].URL)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(all[0].CABundle)
	dialer := tls.Dialer{NetDialer: &net.Dialer{Timeout: 10 * time.Second}, Config: &tls.Config{RootCAs: roots}}
	ctx, cancel := context.WithTimeout(c.T.Context(), 10*time.Second)
	defer cancel()
	conn, err := dialer.DialContext(ctx, "tcp", address.Host)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.(*tls.Conn).ConnectionState().PeerCertificates[0], nil
}

// settled waits until the Secret has another certificate than before, every
// caBundle holds its authority, and Probity serves it.
func (c *cluster) settled(before *x509.Certificate) {
	c.T.Helper()
	c.Await("a new certificate is stored, trusted and served", func(context.Context) error {
		secret, err := c.secret()
		if err != nil {
			return err
		}
		stored, err := parse(secret.Data[corev1.TLSCertKey])
		if err != nil {
			return err
		}
		if before != nil && stored.Equal(before) {
			return errors.New("the Secret has the old certificate")
		}
		all, err := c.configurations()
		if err != nil {
			return err
		}
		for i, w := range all {
			// The cainjector keeps the authorities of before, until they expire.
			if !bytes.Contains(w.CABundle, secret.Data["ca.crt"]) {
				return fmt.Errorf("webhook %d does not have the authority in its caBundle", i)
			}
		}
		served, err := c.served()
		if err == nil && !served.Equal(stored) {
			err = errors.New("the old certificate is served")
		}
		return errors.Join(err, c.local.Probity.Ready(c.T.Context()))
	})
}

func issued(c *cluster) {
	c.settled(nil)
	leaf, err := c.served()
	check(c.T, err)
	key, ok := leaf.PublicKey.(*ecdsa.PublicKey)
	if !ok || key.Curve != elliptic.P256() {
		c.T.Errorf("the key is a %T, want ECDSA P-256", leaf.PublicKey)
	}
	if life := leaf.NotAfter.Sub(leaf.NotBefore); life != 90*24*time.Hour {
		c.T.Errorf("it counts for %s, want 90 days", life)
	}
	check(c.T, leaf.VerifyHostname("probity.probity-system.svc"))
	secret, err := c.secret()
	check(c.T, err)
	for _, f := range secret.ManagedFields {
		if f.Manager == "probity-certs" || f.Manager == "probity" {
			c.T.Errorf("%s wrote the Secret", f.Manager)
		}
	}
	c.UnderLoad("nothing", func() {}) // Calls are made and answered.
}

func renewed(c *cluster) {
	for range 2 {
		before, err := c.stored()
		check(c.T, err)
		c.UnderLoad("a renewal", func() {
			c.renew("probity")
			c.settled(before)
		})
	}
}

// renew does what `cmctl renew` does.
func (c *cluster) renew(certificate string) {
	c.T.Helper()
	c.Admin("", "-n", namespace, "patch", "certificate", certificate, "--subresource=status", "--type=json",
		`-p=[{"op":"add","path":"/status/conditions/-","value":{"type":"Issuing","status":"True","reason":"ManuallyTriggered","message":"by the test"}}]`)
}

func secretDeleted(c *cluster) {
	before, err := c.stored()
	check(c.T, err)
	c.UnderLoad("the end of the Secret", func() {
		c.Admin("", "-n", namespace, "delete", "secret", "probity-serving-cert")
		c.settled(before)
	})
}

func authorityRenewed(c *cluster) {
	before, err := c.stored()
	check(c.T, err)
	authority := func() string {
		secret := &corev1.Secret{}
		check(c.T, c.client.Get(c.T.Context(), types.NamespacedName{Namespace: namespace, Name: "probity-ca"}, secret))
		return string(secret.Data[corev1.TLSCertKey])
	}
	old := authority()
	c.UnderLoad("a new authority", func() {
		c.renew("probity-ca")
		c.Await("a new authority", func(context.Context) error {
			if authority() == old {
				return errors.New("it is the old one")
			}
			return nil
		})
		c.renew("probity")
		c.settled(before)
	})
	now, err := c.stored()
	check(c.T, err)
	if parent, err := parse([]byte(old)); err != nil || now.CheckSignatureFrom(parent) == nil {
		c.T.Errorf("the old authority's key signed the new certificate (%v)", err)
	}
}

// anotherIssuer is a second authority, as a company may bring along.
const anotherIssuer = `
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: another-ca, namespace: probity-system}
spec:
  secretName: another-ca
  commonName: another-ca
  isCA: true
  privateKey: {algorithm: RSA, size: 2048, rotationPolicy: Always}
  issuerRef: {kind: Issuer, name: probity-selfsigned}
---
apiVersion: cert-manager.io/v1
kind: Issuer
metadata: {name: another-ca, namespace: probity-system}
spec: {ca: {secretName: another-ca}}
`

// Each replacement is a race between the API server and Probity, so there are some.
func issuerReplaced(c *cluster) {
	c.Admin(anotherIssuer, "-n", namespace, "apply", "-f", "-")
	c.Admin("", "-n", namespace, "wait", "--for=condition=Ready", "--timeout=120s", "issuer/another-ca")
	for _, issuer := range []string{"another-ca", "probity-ca", "another-ca", "probity-ca"} {
		before, err := c.stored()
		check(c.T, err)
		c.UnderLoad("another issuer", func() {
			c.Admin("", "-n", namespace, "patch", "certificate", "probity", "--type=merge", `-p={"spec":{"issuerRef":{"name":"`+issuer+`"}}}`)
			c.settled(before)
		})
		now, err := c.stored()
		check(c.T, err)
		if now.Issuer.CommonName != issuer {
			c.T.Errorf("the issuer is %q, want %s", now.Issuer.CommonName, issuer)
		}
	}
}

// Before v1.19 the cainjector replaced the caBundle, so that no certificate was
// trusted before and after.
func replacedWithoutOverlap(c *cluster) {
	check(c.T, c.running.stop())
	without, err := startCertManager(c.certManager, c.Administrator, "CAInjectorMerging=false")
	check(c.T, err)
	*c.running = *without
	issuerReplaced(c)
}

// The cainjector heals it; requests go through meanwhile.
func bundleEmptied(c *cluster) {
	load := c.StartLoad()
	load.More()
	for _, kind := range []string{"validating", "mutating"} {
		c.Admin("", "patch", kind+"webhookconfiguration", "probity", "--type=json", `-p=[{"op":"remove","path":"/webhooks/0/clientConfig/caBundle"}]`)
	}
	c.settled(nil)
	load.Stop()
}
