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

	"github.com/probity-dev/probity/e2e/controlplane"
	"github.com/probity-dev/probity/e2e/install"
)

// patience bounds every wait; nothing takes nearly as long.
const patience = 2 * time.Minute

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

// cluster is a control plane with cert-manager and Probity.
type cluster struct {
	t         *testing.T
	control   *controlplane.ControlPlane
	client    client.Client
	adminFile string
	probity   *install.Probity
	// certManager is the path of the program, and running is it.
	certManager string
	running     *certManager
}

func TestCertManager(t *testing.T) {
	c := start(t)
	scene := func(name string, play func(c *cluster)) {
		t.Run(name, func(t *testing.T) {
			inner := *c
			inner.t = t
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
	programs, err := controlplane.Build(ctx, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	control, err := controlplane.Start(ctx, controlplane.Options{Programs: programs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { check(t, control.Stop()) })
	c := &cluster{t: t, control: control}
	c.adminFile, err = control.Kubeconfig(control.Admin())
	check(t, err)
	c.client, err = client.New(control.Admin(), client.Options{})
	check(t, err)
	check(t, installCRDs(ctx, control, c.adminFile))
	c.certManager, err = buildCertManager(ctx, t.TempDir())
	check(t, err)
	c.running, err = startCertManager(c.certManager, c.adminFile)
	check(t, err)
	t.Cleanup(func() { check(t, c.running.stop()) })

	repository, err := install.Repository()
	check(t, err)
	binary, err := install.BuildBinary(ctx, repository, t.TempDir())
	check(t, err)
	c.probity, err = install.Install(ctx, control, install.Options{
		Binary: binary, Manifests: writeOverlay(t, filepath.Join(repository, "manifests", "cert-manager")), Args: []string{"--shutdown-delay=0s"},
	})
	if err != nil {
		out, _, describeErr := control.Kubectl(ctx, c.adminFile, "", "-n", namespace, "get", "issuers,certificates,certificaterequests", "-o", "wide")
		t.Fatal(errors.Join(err, describeErr), "\n", out, "\n", c.running.said())
	}
	t.Cleanup(func() { check(t, c.probity.Stop()) })
	shop := &corev1.Namespace{}
	shop.Name, shop.Labels = "shop", map[string]string{"probity.dev/mode": "enforce"}
	check(t, c.client.Create(ctx, shop))
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

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (c *cluster) kubectl(stdin string, args ...string) {
	c.t.Helper()
	if stdout, stderr, err := c.control.Kubectl(c.t.Context(), c.adminFile, stdin, args...); err != nil {
		c.t.Fatalf("kubectl %v: %v\n%s%s", args, err, stdout, stderr)
	}
}

// secret returns the one of the serving certificate.
func (c *cluster) secret() (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	return secret, c.client.Get(c.t.Context(), types.NamespacedName{Namespace: namespace, Name: "probity-serving-cert"}, secret)
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
	err := errors.Join(c.client.Get(c.t.Context(), name, validating), c.client.Get(c.t.Context(), name, mutating))
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
	ctx, cancel := context.WithTimeout(c.t.Context(), 10*time.Second)
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
	c.t.Helper()
	c.eventually("a new certificate is stored, trusted and served", func() error {
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
		return errors.Join(err, c.probity.Ready(c.t.Context()))
	})
}

// eventually polls until the check has nothing to say.
func (c *cluster) eventually(what string, check func() error) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			c.t.Fatalf("%s: not within %s: %v", what, patience, err)
		case <-tick.C:
		}
	}
}

func issued(c *cluster) {
	c.settled(nil)
	leaf, err := c.served()
	check(c.t, err)
	key, ok := leaf.PublicKey.(*ecdsa.PublicKey)
	if !ok || key.Curve != elliptic.P256() {
		c.t.Errorf("the key is a %T, want ECDSA P-256", leaf.PublicKey)
	}
	if life := leaf.NotAfter.Sub(leaf.NotBefore); life != 90*24*time.Hour {
		c.t.Errorf("it counts for %s, want 90 days", life)
	}
	check(c.t, leaf.VerifyHostname("probity.probity-system.svc"))
	secret, err := c.secret()
	check(c.t, err)
	for _, f := range secret.ManagedFields {
		if f.Manager == "probity-certs" || f.Manager == "probity" {
			c.t.Errorf("%s wrote the Secret", f.Manager)
		}
	}
	c.underLoad(func() {}) // Calls are made and answered.
}

func renewed(c *cluster) {
	for range 2 {
		before, err := c.stored()
		check(c.t, err)
		c.underLoad(func() {
			c.renew("probity")
			c.settled(before)
		})
	}
}

// renew does what `cmctl renew` does.
func (c *cluster) renew(certificate string) {
	c.t.Helper()
	c.kubectl("", "-n", namespace, "patch", "certificate", certificate, "--subresource=status", "--type=json",
		`-p=[{"op":"add","path":"/status/conditions/-","value":{"type":"Issuing","status":"True","reason":"ManuallyTriggered","message":"by the test"}}]`)
}

func secretDeleted(c *cluster) {
	before, err := c.stored()
	check(c.t, err)
	c.underLoad(func() {
		c.kubectl("", "-n", namespace, "delete", "secret", "probity-serving-cert")
		c.settled(before)
	})
}

func authorityRenewed(c *cluster) {
	before, err := c.stored()
	check(c.t, err)
	authority := func() string {
		secret := &corev1.Secret{}
		check(c.t, c.client.Get(c.t.Context(), types.NamespacedName{Namespace: namespace, Name: "probity-ca"}, secret))
		return string(secret.Data[corev1.TLSCertKey])
	}
	old := authority()
	c.underLoad(func() {
		c.renew("probity-ca")
		c.eventually("a new authority", func() error {
			if authority() == old {
				return errors.New("it is the old one")
			}
			return nil
		})
		c.renew("probity")
		c.settled(before)
	})
	now, err := c.stored()
	check(c.t, err)
	if parent, err := parse([]byte(old)); err != nil || now.CheckSignatureFrom(parent) == nil {
		c.t.Errorf("the old authority's key signed the new certificate (%v)", err)
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
	c.kubectl(anotherIssuer, "apply", "-f", "-")
	c.kubectl("", "-n", namespace, "wait", "--for=condition=Ready", "--timeout=120s", "issuer/another-ca")
	for _, issuer := range []string{"another-ca", "probity-ca", "another-ca", "probity-ca"} {
		before, err := c.stored()
		check(c.t, err)
		c.underLoad(func() {
			c.kubectl("", "-n", namespace, "patch", "certificate", "probity", "--type=merge", `-p={"spec":{"issuerRef":{"name":"`+issuer+`"}}}`)
			c.settled(before)
		})
		now, err := c.stored()
		check(c.t, err)
		if now.Issuer.CommonName != issuer {
			c.t.Errorf("the issuer is %q, want %s", now.Issuer.CommonName, issuer)
		}
	}
}

// Before v1.19 the cainjector replaced the caBundle, so that no certificate was
// trusted before and after.
func replacedWithoutOverlap(c *cluster) {
	check(c.t, c.running.stop())
	without, err := startCertManager(c.certManager, c.adminFile, "CAInjectorMerging=false")
	check(c.t, err)
	*c.running = *without
	issuerReplaced(c)
}

// The cainjector heals it; requests go through meanwhile.
func bundleEmptied(c *cluster) {
	load := c.startLoad()
	for _, kind := range []string{"validating", "mutating"} {
		c.kubectl("", "patch", kind+"webhookconfiguration", "probity", "--type=json", `-p=[{"op":"remove","path":"/webhooks/0/clientConfig/caBundle"}]`)
	}
	c.settled(nil)
	load.stop(c.t)
}
