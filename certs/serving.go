package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"sync"
	"time"
)

// settle is how long an authority must stand in the configurations before
// certificates of it are served: this process may see them before every API
// server does.
const settle = 5 * time.Second

// serving is the certificate that this process answers with.
type serving struct {
	mu      sync.RWMutex
	current *served
	// pending is a newer certificate, trusted since then.
	pending      *tls.Certificate
	trustedSince time.Time
	// problem is why there is nothing to serve, as far as known.
	problem error
}

type served struct {
	certificate *tls.Certificate
	authority   *x509.Certificate
	// distrust is nil once the configurations were seen to trust it. It stays
	// nil when somebody empties a caBundle later: to stop being ready would
	// repair nothing, and would cost seconds after the bundle is back.
	distrust error
}

// offer takes the certificate of the Secret, with the reason why API servers
// would not trust it (nil: they do), and whether they trust the current one. It
// returns how long to wait before the next offer of the same certificate, zero
// when nothing is left to wait for.
func (s *serving) offer(now time.Time, next *tls.Certificate, issuer *x509.Certificate, distrust error, currentTrusted bool) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()

	current := s.current
	switch {
	case current == nil, inForce(current.certificate.Leaf, now) != nil:
		// Nothing better to answer with; ready only when it is trusted.
		s.take(next, issuer, distrust)
		return 0
	case current.certificate.Leaf.Equal(next.Leaf):
		s.pending = nil
		if current.distrust != nil {
			current.distrust = distrust
		}
		return 0
	case distrust != nil:
		s.pending = nil
		return 0 // The change of a configuration brings the next offer.
	case !currentTrusted:
		s.take(next, issuer, nil)
		return 0
	}
	if s.pending == nil || !s.pending.Leaf.Equal(next.Leaf) {
		s.pending, s.trustedSince = next, now
	}
	if wait := s.trustedSince.Add(settle).Sub(now); wait > 0 {
		return wait
	}
	s.take(next, issuer, nil)
	return 0
}

// take replaces the current certificate. The caller holds the mutex.
func (s *serving) take(next *tls.Certificate, issuer *x509.Certificate, distrust error) {
	s.current = &served{certificate: next, authority: issuer, distrust: distrust}
	s.pending, s.problem = nil, nil
}

// explain keeps the reason why there is nothing to serve.
func (s *serving) explain(problem error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problem = problem
}

// certificate, leaf and authority return what is served, nil when nothing is.
func (s *serving) certificate() *tls.Certificate {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.current == nil {
		return nil
	}
	return s.current.certificate
}

func (s *serving) leaf() *x509.Certificate {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.current == nil {
		return nil
	}
	return s.current.certificate.Leaf
}

func (s *serving) authority() *x509.Certificate {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.current == nil {
		return nil
	}
	return s.current.authority
}

func (s *serving) getCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.current == nil {
		return nil, s.nothing()
	}
	return s.current.certificate, nil
}

func (s *serving) ready(now time.Time) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.current == nil {
		return s.nothing()
	}
	if err := inForce(s.current.certificate.Leaf, now); err != nil {
		return fmt.Errorf("serving certificate: %w", err)
	}
	if s.current.distrust != nil {
		return fmt.Errorf("serving certificate: %w", s.current.distrust)
	}
	return nil
}

func (s *serving) nothing() error {
	if s.problem != nil {
		return fmt.Errorf("no serving certificate yet: %w", s.problem)
	}
	return errors.New("no serving certificate yet")
}
