package certs

import (
	"bytes"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"time"
)

// Keys of the Secret. The first two are those that other issuers write.
const (
	keyCert         = "tls.crt"
	keyKey          = "tls.key"
	keyAuthority    = "ca.crt"
	keyAuthorityKey = "ca.key"
	// keyPrevious holds the authorities before ca.crt that the bundle keeps.
	// Their keys are gone, so nothing new comes from them.
	keyPrevious = "previous-ca.crt"
)

// maxPrevious bounds the bundle: an API server parses it at every new connection.
const maxPrevious = 8

// stored is what the Secret holds.
type stored struct {
	authority *authority
	previous  []*x509.Certificate
	leaf      *tls.Certificate
}

// open reads the data of the Secret and judges it. With an error the content
// must be replaced; authority and previous are then set as far as they are sound.
func open(data map[string][]byte, now time.Time, hosts []string) (*stored, error) {
	s := &stored{previous: parseAuthorities(data[keyPrevious])}
	var err error
	if s.authority, err = openAuthority(data, now); err != nil {
		// Certificates that clients still know stay in the bundle.
		s.previous = append(parseAuthorities(data[keyAuthority]), s.previous...)
		return s, err
	}
	if s.leaf, err = openLeaf(data); err != nil {
		return s, err
	}
	return s, s.leafFault(now, hosts)
}

func openAuthority(data map[string][]byte, now time.Time) (*authority, error) {
	pair, err := tls.X509KeyPair(data[keyAuthority], data[keyAuthorityKey])
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", keyAuthority, keyAuthorityKey, err)
	}
	if !pair.Leaf.IsCA {
		return nil, fmt.Errorf("%s: it is not a certificate authority", keyAuthority)
	}
	if err := inForce(pair.Leaf, now); err != nil {
		return nil, fmt.Errorf("%s: %w", keyAuthority, err)
	}
	signer, ok := pair.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("%s: a key of type %T cannot sign", keyAuthorityKey, pair.PrivateKey)
	}
	return &authority{cert: pair.Leaf, key: signer}, nil
}

func openLeaf(data map[string][]byte) (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair(data[keyCert], data[keyKey])
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", keyCert, keyKey, err)
	}
	return &pair, nil
}

// leafFault says why the leaf cannot serve the hosts now.
func (s *stored) leafFault(now time.Time, hosts []string) error {
	leaf := s.leaf.Leaf
	if err := inForce(leaf, now); err != nil {
		return fmt.Errorf("%s: %w", keyCert, err)
	}
	if err := signedBy(leaf, now, s.authority.cert); err != nil {
		return fmt.Errorf("%s: %w", keyCert, err)
	}
	for _, host := range hosts {
		if err := leaf.VerifyHostname(host); err != nil {
			return fmt.Errorf("%s: %w", keyCert, err)
		}
	}
	return nil
}

// signedBy verifies a leaf as an API server does, but for the host name.
func signedBy(leaf *x509.Certificate, now time.Time, authorities ...*x509.Certificate) error {
	return accepted(&tls.Certificate{Leaf: leaf}, now, authorities...)
}

// accepted is signedBy for a certificate that may come with intermediate ones.
func accepted(certificate *tls.Certificate, now time.Time, authorities ...*x509.Certificate) error {
	roots, intermediates := x509.NewCertPool(), x509.NewCertPool()
	for _, a := range authorities {
		roots.AddCert(a)
	}
	for i := 1; i < len(certificate.Certificate); i++ {
		// One that cannot be read helps no API server either.
		if c, err := x509.ParseCertificate(certificate.Certificate[i]); err == nil {
			intermediates.AddCert(c)
		}
	}
	_, err := certificate.Leaf.Verify(x509.VerifyOptions{
		Roots:         roots,
		Intermediates: intermediates,
		CurrentTime:   now,
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	return err
}

// due says why sound content should be renewed now; empty when it need not be.
func (s *stored) due(now time.Time) string {
	switch {
	case !now.Before(renewAt(s.authority.cert)):
		return "two thirds of the authority's lifetime are over"
	case !now.Before(renewAt(s.leaf.Leaf)):
		return "two thirds of the certificate's lifetime are over"
	case len(s.previous) > 0 && now.After(s.authority.cert.NotBefore.Add(backdate+overlap)):
		return "no replica serves a certificate of the previous authority any more"
	}
	return ""
}

// renewed returns what the Secret should hold instead of s, which open returned:
// a new authority when s has none or an old one, else a new leaf when that is
// due, else s without previous authorities. known are authorities that
// configurations or replicas still use.
func (s *stored) renewed(now time.Time, hosts []string, known []*x509.Certificate) (*stored, error) {
	if s.authority == nil || !now.Before(renewAt(s.authority.cert)) {
		return s.withNewAuthority(now, hosts, known)
	}
	next := &stored{authority: s.authority, previous: s.previous, leaf: s.leaf}
	if now.After(s.authority.cert.NotBefore.Add(backdate + overlap)) {
		next.previous = nil
	}
	if s.leaf != nil && s.leafFault(now, hosts) == nil && now.Before(renewAt(s.leaf.Leaf)) {
		return next, nil
	}
	var err error
	next.leaf, err = s.authority.issue(now, leafLifetime, s.hosts(now, hosts))
	return next, err
}

func (s *stored) withNewAuthority(now time.Time, hosts []string, known []*x509.Certificate) (*stored, error) {
	a, err := newAuthority(now)
	if err != nil {
		return nil, err
	}
	leaf, err := a.issue(now, leafLifetime, hosts)
	if err != nil {
		return nil, err
	}
	var previous []*x509.Certificate
	if s.authority != nil {
		previous = append(previous, s.authority.cert)
	}
	previous = append(append(previous, s.previous...), known...)
	return &stored{authority: a, previous: stillTrusted(previous, now), leaf: leaf}, nil
}

// hosts returns the names for a new leaf: those asked for and, when the old
// leaf is in force and lacks one, its own too. During an upgrade that renames
// something, replicas of both versions would else replace it in turns.
func (s *stored) hosts(now time.Time, hosts []string) []string {
	if s.leaf == nil || inForce(s.leaf.Leaf, now) != nil || s.leafFault(now, hosts) == nil {
		return hosts
	}
	all := slices.Concat(hosts, s.leaf.Leaf.DNSNames)
	for _, ip := range s.leaf.Leaf.IPAddresses {
		all = append(all, ip.String())
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// stillTrusted drops doubles and what has expired, and bounds the rest.
func stillTrusted(authorities []*x509.Certificate, now time.Time) []*x509.Certificate {
	var kept []*x509.Certificate
	for _, a := range authorities {
		if now.After(a.NotAfter) || slices.ContainsFunc(kept, a.Equal) || len(kept) == maxPrevious {
			continue
		}
		kept = append(kept, a)
	}
	return kept
}

// bundle is the caBundle that the configurations should hold. It depends on
// the Secret alone, so that replicas never disagree.
func (s *stored) bundle() []byte {
	return encodeCertificates(append([]*x509.Certificate{s.authority.cert}, s.previous...)...)
}

// data returns the keys and values of the Secret.
func (s *stored) data() (map[string][]byte, error) {
	key, err := encodeKey(s.leaf.PrivateKey)
	if err != nil {
		return nil, err
	}
	authorityKey, err := encodeKey(s.authority.key)
	if err != nil {
		return nil, err
	}
	data := map[string][]byte{
		keyCert:         encodeCertificates(s.leaf.Leaf),
		keyKey:          key,
		keyAuthority:    encodeCertificates(s.authority.cert),
		keyAuthorityKey: authorityKey,
	}
	if len(s.previous) > 0 {
		data[keyPrevious] = encodeCertificates(s.previous...)
	}
	return data, nil
}

func encodeCertificates(certs ...*x509.Certificate) []byte {
	var out bytes.Buffer
	for _, c := range certs {
		out.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}))
	}
	return out.Bytes()
}

func encodeKey(key crypto.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// parseAuthorities returns the certificate authorities of a PEM text. What is
// not one is passed over: the text may be anybody's.
func parseAuthorities(text []byte) []*x509.Certificate {
	var found []*x509.Certificate
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return found
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		if cert, err := x509.ParseCertificate(block.Bytes); err == nil && cert.IsCA {
			found = append(found, cert)
		}
	}
}
