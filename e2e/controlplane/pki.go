package controlplane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// certLifetime is how long certificates count. A control plane does not live longer.
const certLifetime = 7 * 24 * time.Hour

// keyPair is a certificate and its key, both as PEM.
type keyPair struct {
	cert, key []byte
}

func (k keyPair) write(dir, name string) error {
	if err := os.WriteFile(filepath.Join(dir, name+".crt"), k.cert, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+".key"), k.key, 0o600)
}

// authority signs the certificates of the API server and of its clients.
type authority struct {
	keyPair
	parsed *x509.Certificate
	signer *ecdsa.PrivateKey
}

func newAuthority() (*authority, error) {
	template, err := certTemplate(pkix.Name{CommonName: "probity-control-plane"})
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	pair, parsed, err := sign(template, template, key, key)
	if err != nil {
		return nil, err
	}
	return &authority{keyPair: pair, parsed: parsed, signer: key}, nil
}

// server returns the certificate of the API server on the loopback interface, and
// at a further address when it is not empty.
func (a *authority) server(address string) (keyPair, error) {
	template, err := certTemplate(pkix.Name{CommonName: "kube-apiserver"})
	if err != nil {
		return keyPair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames = []string{"localhost", "kubernetes.default.svc"}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), serviceIP()}
	if address != "" {
		template.IPAddresses = append(template.IPAddresses, net.ParseIP(address))
	}
	return a.issue(template)
}

// serviceIP is the first of the range, which the Service "kubernetes" gets.
func serviceIP() net.IP { return net.IPv4(10, 96, 0, 1) }

// client returns the certificate that makes its holder the user, as the API
// server reads it: the common name is the user, organisations are groups.
func (a *authority) client(user string, groups []string) (keyPair, error) {
	template, err := certTemplate(pkix.Name{CommonName: user, Organization: groups})
	if err != nil {
		return keyPair{}, err
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return a.issue(template)
}

func (a *authority) issue(template *x509.Certificate) (keyPair, error) {
	template.KeyUsage = x509.KeyUsageDigitalSignature
	key, err := newKey()
	if err != nil {
		return keyPair{}, err
	}
	pair, _, err := sign(template, a.parsed, key, a.signer)
	return pair, err
}

func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

func certTemplate(subject pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    now.Add(-time.Hour), // A clock may be set back a little.
		NotAfter:     now.Add(certLifetime),
	}, nil
}

func sign(template, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) (keyPair, *x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return keyPair{}, nil, fmt.Errorf("sign certificate of %q: %w", template.Subject.CommonName, err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return keyPair{}, nil, err
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return keyPair{}, nil, err
	}
	return keyPair{
		cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		key:  pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER}),
	}, parsed, nil
}
