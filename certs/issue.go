package certs

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"net"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	// leafLifetime is how long a serving certificate counts; it is renewed at
	// two thirds, so a renewal may fail for a month before anybody notices.
	leafLifetime = 90 * 24 * time.Hour
	// authorityLifetime is a year and not ten: the authority's key lies beside
	// the key that it vouches for, so a longer life protects nothing, and a
	// rotation that runs every eight months is one that is known to work. The
	// last third is longer than leafLifetime, so no leaf is ever cut short.
	authorityLifetime = 365 * 24 * time.Hour
	// overlap is how long the bundle keeps the authority before the current
	// one: longer than any replica can miss the Secret and still be called.
	overlap = 24 * time.Hour
	// backdate allows for an API server whose clock is behind.
	backdate = time.Hour
)

// organization marks the certificates that Probity made.
const organization = "probity.dev"

// authority is a certificate authority that can sign.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

func newAuthority(now time.Time) (*authority, error) {
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		// A name of its own for each one: a person tells two of them apart.
		Subject:               pkix.Name{Organization: []string{organization}, CommonName: fmt.Sprintf("probity-ca-%.8x", serial)},
		NotBefore:             now.Add(-backdate),
		NotAfter:              now.Add(authorityLifetime),
		KeyUsage:              x509.KeyUsageCertSign,
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
	}
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	cert, err := sign(template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &authority{cert: cert, key: key}, nil
}

// issue makes a serving certificate for the hosts: DNS names and IP addresses.
func (a *authority) issue(now time.Time, lifetime time.Duration, hosts []string) (*tls.Certificate, error) {
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	notAfter := now.Add(lifetime)
	if notAfter.After(a.cert.NotAfter) {
		notAfter = a.cert.NotAfter
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{Organization: []string{organization}, CommonName: "probity"},
		NotBefore:    now.Add(-backdate),
		NotAfter:     notAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
			continue
		}
		template.DNSNames = append(template.DNSNames, host)
	}
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	leaf, err := sign(template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key, Leaf: leaf}, nil
}

func newKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	return key, nil
}

func newSerial() (*big.Int, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("make a serial number: %w", err)
	}
	return serial, nil
}

func sign(template, parent *x509.Certificate, public crypto.PublicKey, signer crypto.Signer) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	if err != nil {
		return nil, fmt.Errorf("sign certificate %q: %w", template.Subject.CommonName, err)
	}
	return x509.ParseCertificate(der)
}

// renewAt is the moment at two thirds of a certificate's lifetime.
func renewAt(cert *x509.Certificate) time.Time {
	return cert.NotBefore.Add(cert.NotAfter.Sub(cert.NotBefore) / 3 * 2)
}

// inForce says why a certificate does not count at a moment.
func inForce(cert *x509.Certificate, now time.Time) error {
	switch {
	case now.Before(cert.NotBefore):
		return fmt.Errorf("it counts only from %s, and it is %s", cert.NotBefore.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	case now.After(cert.NotAfter):
		return fmt.Errorf("it expired at %s", cert.NotAfter.UTC().Format(time.RFC3339))
	}
	return nil
}

// checkHosts refuses what cannot stand in a certificate.
func checkHosts(hosts []string) error {
	for _, host := range hosts {
		if net.ParseIP(host) != nil {
			continue
		}
		if problems := validation.IsDNS1123Subdomain(host); len(problems) > 0 {
			return fmt.Errorf("host %q must be an IP address or a DNS name in lower case, without scheme and port: %s", host, strings.Join(problems, ", "))
		}
	}
	return nil
}
