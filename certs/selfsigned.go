package certs

import (
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// SelfSignedCertificate is a certificate that lives as long as the process,
// with the authority that a client has to trust.
type SelfSignedCertificate struct {
	certificate *tls.Certificate
	authority   *authority
}

// SelfSigned makes a certificate for these DNS names and IP addresses, in force
// for a year. It is for trying Probity without a cluster; nothing renews it.
func SelfSigned(now time.Time, hosts ...string) (*SelfSignedCertificate, error) {
	if len(hosts) == 0 {
		return nil, errors.New("certificate: at least one host is required")
	}
	if err := checkHosts(hosts); err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	a, err := newAuthority(now)
	if err != nil {
		return nil, err
	}
	certificate, err := a.issue(now, authorityLifetime, hosts)
	if err != nil {
		return nil, err
	}
	return &SelfSignedCertificate{certificate: certificate, authority: a}, nil
}

// CA returns the authority as PEM, what a caBundle holds.
func (s *SelfSignedCertificate) CA() []byte { return encodeCertificates(s.authority.cert) }

// TLS sets up a server for this certificate.
func (s *SelfSignedCertificate) TLS(c *tls.Config) {
	SecureTLS(c)
	c.Certificates = []tls.Certificate{*s.certificate}
	c.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return s.certificate, nil }
}

// Write writes tls.crt, tls.key and ca.crt into a folder, which it makes. Each
// file is whole as soon as it has its name; ca.crt comes last, so whoever waits
// for it finds the others.
func (s *SelfSignedCertificate) Write(dir string) error {
	key, err := encodeKey(s.certificate.PrivateKey)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write certificate: %w", err)
	}
	for _, file := range []struct {
		name    string
		content []byte
		mode    os.FileMode
	}{
		{keyKey, key, 0o600},
		{keyCert, encodeCertificates(s.certificate.Leaf), 0o644},
		{keyAuthority, s.CA(), 0o644},
	} {
		if err := writeWhole(filepath.Join(dir, file.name), file.content, file.mode); err != nil {
			return fmt.Errorf("write certificate: %w", err)
		}
	}
	return nil
}

func writeWhole(path string, content []byte, mode os.FileMode) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	if _, err = file.Write(content); err != nil {
		return errors.Join(err, file.Close())
	}
	if err = file.Close(); err != nil {
		return err
	}
	if err = os.Chmod(file.Name(), mode); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
